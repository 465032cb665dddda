// Package clean says which rows of a query log are not worth labeling: empty ones, health checks, bursts of bots, pastes.
package clean
