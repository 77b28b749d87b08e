package screen

import (
	"math/bits"
	"slices"
)

// found is the best rule by which each form was met. A few are a list, and many are a
// set for each rule: a query of one letter meets a hundred thousand forms, and most
// queries ten.
type found struct {
	few  []uint64 // form and rule
	many *[noRule]formSet
	size int // the number of forms
}

const (
	// usuallyMet is for how many forms room is made at first.
	usuallyMet = 32
	// fewForms is how many are sorted faster than sets are looked through.
	fewForms = 500
	ruleBits = 4
)

func (f *found) add(form int, rule Rule) {
	if f.many != nil {
		f.put(form, rule)
		return
	}
	f.few = append(f.few, uint64(form)<<ruleBits|uint64(rule))
	if len(f.few) < fewForms {
		return
	}
	f.many = &[noRule]formSet{}
	for _, pair := range f.few {
		f.put(int(pair>>ruleBits), Rule(pair&(1<<ruleBits-1)))
	}
}

func (f *found) put(form int, rule Rule) {
	if f.many[rule] == nil {
		f.many[rule] = newFormSet(f.size)
	}
	f.many[rule].add(form)
}

// all yields the forms in their order, with the best rule of each.
func (f *found) all(yield func(form int, rule Rule) bool) {
	if f.many != nil {
		f.allOfMany(yield)
		return
	}
	slices.Sort(f.few)
	last := -1
	for _, pair := range f.few {
		form := int(pair >> ruleBits)
		if form != last && !yield(form, Rule(pair&(1<<ruleBits-1))) {
			return
		}
		last = form
	}
}

func (f *found) allOfMany(yield func(form int, rule Rule) bool) {
	var used []Rule
	for rule := range noRule {
		if f.many[rule] != nil {
			used = append(used, rule)
		}
	}
	for i := range f.many[used[0]] {
		left := uint64(0)
		for _, rule := range used {
			left |= f.many[rule][i]
		}
		for ; left != 0; left &= left - 1 {
			form := i*formsInWord + bits.TrailingZeros64(left)
			best := slices.IndexFunc(used, func(rule Rule) bool { return f.many[rule].has(form) })
			if !yield(form, used[best]) {
				return
			}
		}
	}
}

// formSet is a set of forms, a bit for each. It is nil where nothing is known.
type formSet []uint64

const formsInWord = 64

func newFormSet(forms int) formSet { return make(formSet, (forms+formsInWord-1)/formsInWord) }

func (s formSet) add(form int) { s[form/formsInWord] |= 1 << (form % formsInWord) }

func (s formSet) has(form int) bool { return s[form/formsInWord]>>(form%formsInWord)&1 != 0 }

// admits reports whether a form is in the set, as far as is known.
func (s formSet) admits(form int) bool { return s == nil || s.has(form) }
