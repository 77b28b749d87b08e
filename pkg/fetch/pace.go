package fetch

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Pace spaces the requests to each host. It is safe for concurrent use and shared by
// the copies of a [Web]. A nil Pace lets every request pass.
type Pace struct {
	every time.Duration
	mu    sync.Mutex
	hosts map[string]*rate.Limiter
}

// NewPace returns a Pace that lets one request to a host pass in each period.
func NewPace(every time.Duration) *Pace {
	return &Pace{every: every, hosts: map[string]*rate.Limiter{}}
}

// wait returns when the host may be asked, or with an error when ctx would be over
// by then.
func (p *Pace) wait(ctx context.Context, host string) error {
	if p == nil {
		return nil
	}
	return p.limiter(host).Wait(ctx)
}

func (p *Pace) limiter(host string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[host] == nil {
		p.hosts[host] = rate.NewLimiter(rate.Every(p.every), 1)
	}
	return p.hosts[host]
}
