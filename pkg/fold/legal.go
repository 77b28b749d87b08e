package fold

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Core returns what is left of the words of a folded company name when its legal
// forms and the words "and", "the" and "of" are taken out: the distinct remaining
// words, sorted. Two names with equal cores that are not empty meet by the rule "core"
// of decisions section 2. It is empty when the name is nothing but a legal form.
func Core(words []string) string {
	left := withoutLegalForms(words)
	slices.Sort(left)
	return strings.Join(slices.Compact(left), " ")
}

// withoutLegalForms takes the longest form of the table at each position.
func withoutLegalForms(words []string) []string {
	left := make([]string, 0, len(words))
	for i := 0; i < len(words); {
		if n := legalFormAt(words[i:]); n > 0 {
			i += n
			continue
		}
		if w := withoutHanSuffix(words[i]); w != "" {
			left = append(left, w)
		}
		i++
	}
	return left
}

// legalFormAt returns the length in words of the longest legal form with which
// words begin, or 0.
func legalFormAt(words []string) int {
	if !legalForms.mayBegin(words[0]) {
		return 0
	}
	for n := min(len(words), legalForms.longest[words[0]]); n > 0; n-- {
		if _, ok := legalForms.forms[strings.Join(words[:n], " ")]; ok {
			return n
		}
	}
	return 0
}

// withoutHanSuffix takes a legal form off the end of a word in Han letters,
// where words are not written apart.
func withoutHanSuffix(word string) string {
	if last, _ := utf8.DecodeLastRuneInString(word); !unicode.Is(unicode.Han, last) {
		return word
	}
	for _, suffix := range hanSuffixes {
		if rest, ok := strings.CutSuffix(word, suffix); ok {
			return rest
		}
	}
	return word
}

// hanSuffixes stands longest first, so that the first that fits is the longest.
var hanSuffixes = []string{
	"股份有限责任公司", "股份有限責任公司",
	"有限责任公司", "有限責任公司", "股份有限公司", "有限合伙企业",
	"有限公司", "股份公司", "株式会社", "有限会社", "合同会社", "公司",
}

// legalForms is the fixed table of the rule "core", folded: one form a line, the
// words of one alternative separated by blanks. Publishers, registers and
// customers swap these for each other, drop them and move them.
var legalForms = table(`
	and
	the
	of

	company
	co
	companies
	company limited
	company inc
	co ltd
	co limited
	corporation
	corp
	corp ltd
	incorporated
	inc
	limited
	ltd
	private limited
	private limited company
	private company limited by shares
	private ltd
	pvt ltd
	pvt limited
	pvt
	pte ltd
	pte
	pty ltd
	pty
	proprietary limited
	public limited company
	public company limited
	public company
	plc
	p l c
	limited liability company
	limited liability co
	limited liability partnership
	limited partnership
	limited liability
	llc
	l l c
	llp
	l l p
	lp
	l p
	with limited liability
	company with limited liability
	joint stock company
	joint stock co
	joint stock
	open joint stock company
	closed joint stock company
	public joint stock company
	private joint stock company
	private joint stock
	public joint stock
	non public joint stock company
	jsc
	j s c
	ojsc
	cjsc
	pjsc
	p j s c
	pjs
	p j s
	pjs co
	qpsc
	ksc
	sac
	sal
	s a l
	saog
	saoc
	bsc
	b s c
	wll
	w l l
	fzc
	fzco
	fze
	fz llc
	fz co
	f z e
	f z c
	fzllc
	free zone company
	free zone establishment
	dmcc
	dwc llc
	unincorporated
	sole proprietorship
	federal state unitary enterprise
	state unitary enterprise
	unitary enterprise
	private unitary enterprise
	republican unitary enterprise
	fsue

	obshchestvo s ogranichennoi otvetstvennostyu
	obshchestvo s ogranichennoy otvetstvennostyu
	obschestvo s ogranichennoi otvetstvennostyu
	obschestvo s ogranichennoy otvetstvennostyu
	obshchestvo s ogranichennoj otvetstvennostyu
	obshchestvo s ogranichennoi otvetstvennostiu
	tovarishchestvo s ogranichennoi otvetstvennostyu
	tovarishchestvo s ogranichennoy otvetstvennostyu
	tovarystvo z obmezhenoyu vidpovidalnistyu
	aktsionernoe obshchestvo
	aktsionernoe obschestvo
	aktsionernoye obshchestvo
	aktsionernoye obschestvo
	publichnoe aktsionernoe obshchestvo
	publichnoe aktsionernoe obschestvo
	publichnoye aktsionernoye obshchestvo
	otkrytoe aktsionernoe obshchestvo
	otkrytoe aktsionernoe obschestvo
	otkrytoye aktsionernoye obshchestvo
	zakrytoe aktsionernoe obshchestvo
	zakrytoe aktsionernoe obschestvo
	zakrytoye aktsionernoye obshchestvo
	nepublichnoe aktsionernoe obshchestvo
	nepublichnoe aktsionernoe obschestvo
	federalnoe gosudarstvennoe unitarnoe predpriyatie
	federalnoye gosudarstvennoye unitarnoye predpriyatiye
	gosudarstvennoe unitarnoe predpriyatie
	unitarnoe predpriyatie
	ooo
	o o o
	oao
	o a o
	zao
	z a o
	pao
	ao
	nao
	odo
	too
	tov
	tzov
	prat
	pat
	vat
	zat
	fgup
	fgu
	gup
	mup
	chup
	rup
	общество с ограниченнои ответственностью
	товарищество с ограниченнои ответственностью
	акционерное общество
	публичное акционерное общество
	открытое акционерное общество
	закрытое акционерное общество
	непубличное акционерное общество
	федеральное государственное унитарное предприятие
	государственное унитарное предприятие
	унитарное предприятие
	товариство з обмеженою відповідальністю
	акціонерне товариство
	приватне акціонерне товариство
	публічне акціонерне товариство
	таварыства з абмежаванаи адказнасцю
	ооо
	оао
	зао
	пао
	ао
	нао
	одо
	тоо
	тов
	прат
	пат
	ват
	зат
	фгуп
	гуп
	муп
	чуп
	руп
	еоод
	оод
	доо
	ад

	gmbh
	g m b h
	gmbh co kg
	gesellschaft mit beschraenkter haftung
	gesellschaft mit beschrankter haftung
	mbh
	aktiengesellschaft
	ag
	kg
	ohg
	kgaa
	sa
	s a
	sas
	s a s
	sarl
	s a r l
	sprl
	srl
	s r l
	spa
	s p a
	snc
	sca
	societe anonyme
	societe a responsabilite limitee
	societa per azioni
	societa a responsabilita limitata
	sociedad anonima
	sociedad anonima de capital variable
	sociedad limitada
	sociedad de responsabilidad limitada
	sociedad de responsabilidad limitada de capital variable
	sociedad por acciones simplificada
	compania limitada
	compania anonima
	sociedade anonima
	cia ltda
	y cia
	y cia ltda
	y cia s en c
	s en c
	s en c s
	s c s
	e en c
	sl
	s l
	slu
	s l u
	s de r l
	s de rl
	s de r l de c v
	s de rl de cv
	s r l de c v
	de c v
	de cv
	s a de c v
	sa de cv
	s a p i de c v
	sapi de cv
	s p r de r l
	s p r de r l de c v
	ltda
	limitada
	eirl
	e i r l
	e u
	c a
	lda
	bv
	b v
	nv
	n v
	besloten vennootschap
	naamloze vennootschap
	cv
	ab
	aps
	a s
	asa
	oy
	oyj
	aktiebolag
	sp z o o
	sp zoo
	spolka z ograniczona odpowiedzialnoscia
	spolka akcyjna
	s r o
	sro
	doo
	d o o
	dooel
	ad
	a d
	dd
	d d
	eood
	ood
	kft
	zrt
	nyrt
	sia
	uab
	ou
	osauhing
	anonim sirketi
	limited sirketi
	ltd sti
	ltd sirketi
	sirketi
	sti
	tbk
	pt
	sdn bhd
	bhd
	berhad
	sendirian berhad
	kk
	k k
	kabushiki kaisha
	yugen kaisha
	godo kaisha
	tnhh
	cong ty tnhh
	cong ty co phan
	株式会社
	有限会社
	合同会社
	주식회사
	유한회사
	บริษัท
	จํากัด
	ش م ل
	ش م م
	ذ م م
`)

type legalTable struct {
	forms   map[string]struct{}
	longest map[string]int // by first word: the words of the longest form
	// lengths has for the first byte of a first word a bit for its length.
	lengths [256]uint64
}

func table(lines string) *legalTable {
	t := &legalTable{forms: map[string]struct{}{}, longest: map[string]int{}}
	for line := range strings.Lines(lines) {
		words := Words(line)
		if len(words) > 0 {
			t.forms[strings.Join(words, " ")] = struct{}{}
			t.longest[words[0]] = max(t.longest[words[0]], len(words))
			t.lengths[words[0][0]] |= lengthBit(words[0])
		}
	}
	return t
}

// mayBegin tells most words that begin no form, without looking into the maps.
func (t *legalTable) mayBegin(word string) bool { return t.lengths[word[0]]&lengthBit(word) != 0 }

func lengthBit(word string) uint64 { return 1 << min(len(word), 63) }
