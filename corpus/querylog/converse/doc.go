// Package converse puts the rows of one user or session into conversations and says which follow on others.
package converse
