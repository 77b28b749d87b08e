package screen

import "slices"

// found is the best rule by which each form was met. A few are a list, and many a
// byte for every form: a query of one letter meets a hundred thousand forms, and
// most queries ten.
type found struct {
	few  []uint64 // form and rule
	many []Rule   // by form
	size int      // the number of forms
}

// fewForms is how many are sorted faster than all forms are looked through.
const fewForms = 2000

const ruleBits = 4

func (f *found) add(form int, rule Rule) {
	if f.many != nil {
		f.many[form] = min(f.many[form], rule)
		return
	}
	f.few = append(f.few, uint64(form)<<ruleBits|uint64(rule))
	if len(f.few) < fewForms {
		return
	}
	many := make([]Rule, f.size)
	for i := range many {
		many[i] = noRule
	}
	for form, rule := range f.all {
		many[form] = rule
	}
	f.few, f.many = nil, many
}

// all yields the forms in their order, with the best rule of each.
func (f *found) all(yield func(form int, rule Rule) bool) {
	if f.many != nil {
		for form, rule := range f.many {
			if rule < noRule && !yield(form, rule) {
				return
			}
		}
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
