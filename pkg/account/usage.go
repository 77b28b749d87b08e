package account

import (
	"time"

	"github.com/listward/listward/pkg/keys"
)

// dayUse is how much of today's allowance a key has used.
type dayUse struct {
	Key         keyView
	Calls, Left int
}

// today has a row for each active key.
func (v *visit) today(usage []keys.Usage, all []keys.Key) []dayUse {
	calls := map[string]int{}
	for _, u := range usage {
		if u.Day == keys.Day(v.now) {
			calls[u.Key] = u.Calls
		}
	}
	var rows []dayUse
	for _, k := range all {
		if k.Revoked.IsZero() {
			rows = append(rows, dayUse{keyView{k}, calls[k.ID], max(0, keys.Limit-calls[k.ID])})
		}
	}
	return rows
}

// The chart's measures, in the units of its view box.
const (
	chartDays   = 30
	chartHeight = 120
	barStep     = 20
	barWidth    = 14
)

// bar is the calls of one UTC day.
type bar struct {
	Day                 time.Time
	Calls               int
	X, Y, Width, Height int
}

// chart is the calls of the last thirty UTC days, today the last of them.
type chart struct {
	Bars          []bar
	Total, Most   int
	Width, Height int
}

func newChart(usage []keys.Usage, now time.Time) chart {
	perDay := map[string]int{}
	for _, u := range usage {
		perDay[u.Day] += u.Calls
	}
	c := chart{Width: chartDays * barStep, Height: chartHeight}
	for i := range chartDays {
		day := now.UTC().AddDate(0, 0, i-chartDays+1)
		b := bar{Day: day, Calls: perDay[keys.Day(day)], X: i*barStep + (barStep-barWidth)/2, Width: barWidth}
		c.Bars, c.Total, c.Most = append(c.Bars, b), c.Total+b.Calls, max(c.Most, b.Calls)
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		b.Height = b.Calls * (chartHeight - 2) / max(1, c.Most)
		if b.Calls > 0 {
			b.Height = max(b.Height, 2)
		}
		b.Y = chartHeight - b.Height
	}
	return c
}
