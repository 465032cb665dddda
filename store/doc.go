// Package store keeps everything people said, in one bbolt file.
package store
