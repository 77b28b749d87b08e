package refresh

import (
	"fmt"
	"io/fs"

	"github.com/listward/listward/pkg/lists/cn"
)

// noticesPath is where the Ministry's notices stand in a folder of lists.
const noticesPath = "cn/notices"

// readNotices reads the list of China's Ministry of Commerce, which is the net
// effect of its notices: those in a folder, and those alone, or else those of the
// register in this repository. Reviews that are due by today are doubts.
func readNotices(o Origin, today string) (reading, error) {
	notices, err := noticesOf(o)
	if err != nil {
		return reading{}, err
	}
	list, reviews, err := cn.Fold(notices)
	if err != nil {
		return reading{}, err
	}
	r := reading{List: list}
	for _, v := range reviews {
		if v.From <= today {
			r.doubts = append(r.doubts, v.Notice+": "+v.Reason)
		}
	}
	return r, nil
}

func noticesOf(o Origin) ([]cn.Notice, error) {
	folder := o.Folder()
	if folder == nil {
		return cn.Register()
	}
	if _, err := fs.Stat(folder, noticesPath); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFetch, err)
	}
	notices, err := fs.Sub(folder, noticesPath)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return cn.ReadFolder(notices)
}
