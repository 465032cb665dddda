package main

func (im *labelImport) print() {
	im.printRejects(im.out.Rejects, im.out.Files)
	for _, w := range im.out.Warnings {
		im.say("warning: %s", w)
	}
	for _, f := range im.out.Files {
		im.say("%s: %s; %s", f.File, f.Format, rowCounts(f))
	}
	would := ""
	if im.dryRun {
		would = "would be "
	}
	if im.out.WidenedTo != "" {
		im.line("the scale was widened: %s", im.out.WidenedTo)
	}
	im.line("%s: %d %snew, %d there already, %d replaced; %s done",
		count(im.out.New+im.out.Same+im.out.Replaced+len(im.out.Conflicts), "label"), im.out.New, would, im.out.Same, im.out.Replaced, count(im.out.QueriesDone, "query"))
	if im.as != "" {
		im.say("the file names no annotator: they are %s's (--annotator NAME says otherwise)", im.as)
	}
	if im.out.NewQueries > 0 {
		im.line("%s came with them", count(im.out.NewQueries, "query"))
	}
	for i, c := range im.out.Conflicts {
		if i == 10 {
			im.say("… and %s more", count(len(im.out.Conflicts)-10, "conflict"))
			break
		}
		im.say("conflict: %s graded %s for %s as %s already; the file says %s", c.Annotator, c.ChunkID, c.QueryID, c.Kept, c.Given)
	}
	if len(im.out.Conflicts) > 0 {
		im.say("%s: kept as they were; --replace takes the file's", count(len(im.out.Conflicts), "conflict"))
	}
	if im.out.Kept > 0 {
		im.say("%s (states, tags, answers) newer here than in the file: kept", countAre(im.out.Kept, "statement"))
	}
	if im.out.Refused > 0 {
		im.say("%s refused: off the scale", count(im.out.Refused, "label"))
	}
	im.sayUnknown("query", im.out.UnknownQueries)
	im.sayUnknown("chunk", im.out.UnknownChunks)
	for _, n := range im.out.NearIDs {
		im.say("warning: %q differs from the corpus's %q only by normalisation or case", n.Given, n.Known)
	}
	if im.out.Batch != "" {
		im.say("batch %s; take it back with: assay log undo %s", im.out.Batch, im.out.Batch)
	}
}

func (im *labelImport) sayUnknown(what string, ids []string) {
	if len(ids) == 0 {
		return
	}
	shown := ids
	more := ""
	if len(shown) > 5 {
		shown, more = shown[:5], ", …"
	}
	list := ""
	for i, id := range shown {
		if i > 0 {
			list += ", "
		}
		list += text80(id)
	}
	im.say("warning: labels name %s not here: kept (%s%s)", countThat(len(ids), what), list, more)
}
