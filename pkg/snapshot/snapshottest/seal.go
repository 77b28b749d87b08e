// Package snapshottest takes snapshot files apart and makes files of parts that Build
// would not make, with right check sums. It is for tests, and knows the header alone
// (pkg/snapshot, format).
package snapshottest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/snapshot"
)

// Sections is how many sections a file has.
const Sections = 17

const (
	mark       = "LISTWARD"
	tableStart = len(mark) + 3*4
	tableEntry = 3 * 4
)

// Split returns copies of the sections of a whole file.
func Split(file []byte) [][]byte {
	sections := make([][]byte, Sections)
	for i := range sections {
		row := file[tableStart+i*tableEntry:]
		offset, length := binary.LittleEndian.Uint32(row), binary.LittleEndian.Uint32(row[4:])
		sections[i] = bytes.Clone(file[offset : offset+length])
	}
	return sections
}

// Seal makes a file of sections: the header, and the sections behind each other.
func Seal(sections [][]byte) []byte {
	var table, body []byte
	begin := tableStart + len(sections)*tableEntry
	for _, s := range sections {
		table = binary.LittleEndian.AppendUint32(table, uint32(begin+len(body)))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(s)))
		table = binary.LittleEndian.AppendUint32(table, sum(s))
		body = append(body, s...)
	}
	file := []byte(mark)
	for _, n := range []uint32{snapshot.FormatVersion, fold.Version, sum(table)} {
		file = binary.LittleEndian.AppendUint32(file, n)
	}
	return append(append(file, table...), body...)
}

func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
