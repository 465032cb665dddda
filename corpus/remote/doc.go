// Package remote asks a retriever that lives elsewhere: a command that answers on its standard output, or a web service.
package remote
