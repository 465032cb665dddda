// Package converse puts the rows of one user or session into conversations and says which follow on others.
//
// It imports corpus only. Its central decision: a row is a follow-up only where position and wording agree,
// i.e. something was asked before it in the same conversation and its words lean on that ("and for Windows?", "why is it
// so slow", "the second one"). Position alone proves nothing, for people change the subject; wording alone neither, for
// a first question may say "it" of what is on the screen. What chats and search boxes hold differs: a fragment leans on
// what was said in a chat and is the normal way to ask in a search box, where only open links count.
//
// The cues are English with the commonest of German, French, Spanish, Italian, Portuguese and Dutch. A guess is only ever
// proposed; people decide.
package converse
