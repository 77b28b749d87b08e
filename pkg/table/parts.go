package table

// The parts of a workbook that are the same in each (ISO/IEC 29500-1, 12.2 and
// 18). Properties with names and times of making are left out: they are optional
// and would make equal tables differ.
const (
	xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

	mainSpace     = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relationSpace = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packageSpace  = `http://schemas.openxmlformats.org/package/2006/relationships`
	sheetType     = `application/vnd.openxmlformats-officedocument.spreadsheetml`

	contentTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + sheetType + `.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + sheetType + `.styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + sheetType + `.worksheet+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet2.xml" ContentType="` + sheetType + `.worksheet+xml"/>` +
		`</Types>`

	packageRels = `<Relationships xmlns="` + packageSpace + `">` +
		`<Relationship Id="rId1" Type="` + relationSpace + `/officeDocument" Target="xl/workbook.xml"/>` +
		`</Relationships>`

	// workbook takes the area of the filter, which Excel wants as a name too.
	workbook = `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relationSpace + `">` +
		`<bookViews><workbookView/></bookViews>` +
		`<sheets><sheet name="Entries 条目" sheetId="1" r:id="rId1"/>` +
		`<sheet name="Evidence 依据" sheetId="2" r:id="rId2"/></sheets>` +
		`<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">` +
		`'Entries 条目'!%s</definedName></definedNames></workbook>`

	workbookRels = `<Relationships xmlns="` + packageSpace + `">` +
		`<Relationship Id="rId1" Type="` + relationSpace + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + relationSpace + `/worksheet" Target="worksheets/sheet2.xml"/>` +
		`<Relationship Id="rId3" Type="` + relationSpace + `/styles" Target="styles.xml"/>` +
		`</Relationships>`
)

// style is the place of a cell format in styles.
type style int

const (
	plain style = iota
	// heading is bold and white on dark, in two lines.
	heading
	day
	second
	linked
	// quoted makes Excel take what a user types over the cell's text for text.
	quoted
	// broken shows the lines of a cell that has several.
	broken
)

const (
	font = `<name val="Calibri"/><family val="2"/>`

	// The first two fills are those that Excel takes for granted.
	styles = `<styleSheet xmlns="` + mainSpace + `">` +
		`<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/>` +
		`<numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts>` +
		`<fonts count="3"><font><sz val="11"/>` + font + `</font>` +
		`<font><b/><sz val="11"/><color rgb="FFFFFFFF"/>` + font + `</font>` +
		`<font><u/><sz val="11"/><color rgb="FF0563C1"/>` + font + `</font></fonts>` +
		`<fills count="3"><fill><patternFill patternType="none"/></fill>` +
		`<fill><patternFill patternType="gray125"/></fill>` +
		`<fill><patternFill patternType="solid"><fgColor rgb="FF1F2937"/><bgColor indexed="64"/></patternFill></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1" applyAlignment="1">` +
		`<alignment vertical="center" wrapText="1"/></xf>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>` +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1">` +
		`<alignment vertical="top" wrapText="1"/></xf></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
)
