// Package sample draws queries to label from all that were asked, so that measures on the sample say something about all.
package sample
