// Package querylog reads query logs.
package querylog
