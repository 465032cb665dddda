// Package group finds queries that are nearly the same, so that one is labeled for all of them.
package group
