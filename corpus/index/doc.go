// Package index keeps a corpus searchable: bleve for the postings, files of its own for the chunk texts and the
// decoded documents, BM25 of its own for the order.
//
// It may import corpus, the leaves corpus/text, corpus/rows and corpus/stats, bleve, x/text and uniseg. Below it are
// four packages for itself alone: words turns texts into terms, ask takes searches apart, texts keeps chunks and
// documents, disk makes files last.
//
// # On disk
//
//	current                    names the build that counts; put in place by rename
//	lock                       held by the process that builds
//	build-000001-…/
//	  manifest.json            what was built: counts, versions, size and SHA-256 of every file; written last
//	  chunks.tbl               by ordinal: where the text is, length in words, shard
//	  ids.tbl, ids.bin         by id bytes: ordinal, SHA-256 of the text
//	  documents.tbl            by hash: where the decoded document is
//	  texts-000001.blk …       chunks, in zstd blocks; one file more with each refresh
//	  documents-000001.blk …   decoded documents, likewise
//	  shard-0/ …               bleve: two shards, and two for long chunks where there are any
//	  shard-0.docs …           for each number that bleve gave a chunk: rank of its id, length
//	  prefixes.tbl             the most frequent words for beginnings that very many have
//
// A build writes a folder beside the old one and swaps it in when all is on disk, so a crash, a full disk or ctrl+c
// leaves the old index; what a killed build leaves is swept by the next one. A refresh links the old files, which
// never change, and indexes only what changed. bleve does not notice a missing segment or flipped bytes: opening
// compares sizes, counts and the hashes of small files with the manifest, a build those of all.
//
// # Why the scores are our own
//
// bleve's "bm25" counts distinct terms as length, per segment, so a score changes when segments merge, and a measure
// that is printed today can't be had again tomorrow. Here bleve only says which chunks have a term and how often; N,
// lengths and frequencies are those of the whole corpus, sums are added in the order of the search, ties go by id. The
// same corpus ranks the same to the last bit, however it came to be. All chunks that match are scored, straight from the
// postings, rather than a few hundred that bleve thinks best.
//
// A chunk that has all words comes before those that have not, and the whole of an identifier that was asked for
// before its parts: levels are added to the score, so that order and score never disagree. That changes Cranfield's
// RR@10 by under 0.01 either way.
package index
