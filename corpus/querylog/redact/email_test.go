package redact

import "testing"

func TestEmails(t *testing.T) {
	taken(t, Email, []string{
		"why does ⟦ann@example.com⟧ bounce?",
		"⟦ben.chi+tag@mail.example.co.uk⟧",
		"mail <⟦ann@example.org⟧>, then (⟦ben@example.org⟧); or \"⟦chi@example.org⟧\".",
		"Send it to ⟦ANN.SMITH@EXAMPLE.COM⟧.",
		"[⟦ann@example.com⟧](mailto:⟦ben@example.com⟧)",
		"**⟦ann@example.com⟧** and `⟦ben@example.com⟧`",
		`{"email":"⟦ann@example.com⟧","n":1}`,
		`{\"email\":\"⟦ann@example.com⟧\"}`,
		"https://example.com/u?mail=⟦ann%40example.com⟧&x=1",
		"https://example.com/u?mail=⟦ann%2540example.com⟧&x=1",
		"⟦ann&#64;example.com⟧ or ⟦ben&#x40;example.com⟧ or ⟦chi&commat;example.com⟧",
		`"⟦ann\u0040example.com⟧"`,
		"⟦ann at example dot com⟧ is mine",
		"⟦ann [at] example [dot] com⟧",
		"⟦ann(at)example(dot)com⟧",
		"⟦ann {at} example {dot} com⟧",
		"⟦ann AT example DOT com⟧",
		"⟦ann_at_example_dot_com⟧",
		"write to ⟦ann @ example.com⟧ please",
		"write to ⟦ann @ example . com⟧ please",
		"write to ⟦ann@\nexample.com⟧ please",
		"⟦ann\u200b@example\u200b.com⟧",
		"⟦ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ⟧",
		"⟦müller@exämple.de⟧",
		"⟦иван@пример.рф⟧",
		"user=⟦ann@example.com⟧;next",
		"mailto:⟦ann@example.com⟧?subject=hi",
		"<a href=\"mailto:⟦ann@example.com⟧\">ann</a>", "<!-- ⟦ann@example.com⟧ -->",
		"⟦ann.smith |at| example |dot| com⟧",
		"ssh ⟦ann@build.example.com⟧",
		"> \"⟦ann@example.com⟧\" <⟦ben@example.com⟧>",
		"'⟦ann' + '@' + 'example.com⟧'",
		"⟦ann<span>@</span>example.com⟧",
		"my email address is ⟦ann at gmail⟧",
		"⟦o'brien@example.com⟧",
		"⟦ann@xn--bcher-kva.example⟧",
		"⟦ann@[192.168.1.20]⟧ bounces",
	})
	same(t, Email, []string{"ann@example.com", "ANN@Example.COM", "ann%40example.com", "ann [at] example [dot] com", "mail ann&#64;example.com.", "ａｎｎ＠example.com"})
}

func TestNoEmails(t *testing.T) {
	left(t, []string{
		"look at example dot com for more",
		"meet me at the dot in the map",
		"@ann thanks for the fix",
		"git clone git@github.com:ann/tool.git",
		"npm install left-pad@1.3.0 @types/node@20.1.0",
		"import x from \"@scope/package@latest\"",
		"rate(http_requests_total[5m] @ start())",
		"foo @ 1609746000",
		"foo@bar",
		"SELECT @x := 1",
		"getty@tty1.service failed",
		"icon@2x.png is blurry",
		"uses: actions/checkout@v4",
		"as the rescue. At this point however we go on",
		"I work at yahoo", "look at gmail first", "we met live at outlook",
		"@property decorators in python.org docs",
		"I arrived at example.com and saw nothing",
		"available at docs.example.com",
		"what is this charge @ 20.50?",
		"image: registry.example.com/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	})
}
