// Package rows reads files of rows as a stream.
package rows
