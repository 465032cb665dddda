package cell

// Rect is a part of the screen, in cells. Layouts are values made of these, so that they are tested without a
// terminal. Sizes are never negative.
type Rect struct{ X, Y, W, H int }

// Top splits off h rows at the top, as many as there are.
func (r Rect) Top(h int) (top, rest Rect) {
	h = min(max(0, h), max(0, r.H))
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}
}

// Bottom splits off h rows at the bottom.
func (r Rect) Bottom(h int) (bottom, rest Rect) {
	h = min(max(0, h), max(0, r.H))
	return Rect{r.X, r.Y + r.H - h, r.W, h}, Rect{r.X, r.Y, r.W, r.H - h}
}

// Left splits off w columns at the left.
func (r Rect) Left(w int) (left, rest Rect) {
	w = min(max(0, w), max(0, r.W))
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}
}

// Inset takes x columns off both sides and y rows off top and bottom.
func (r Rect) Inset(x, y int) Rect {
	return Rect{r.X + x, r.Y + y, max(0, r.W-2*x), max(0, r.H-2*y)}
}

// Center is a w × h rectangle in the middle of r, smaller where r is.
func (r Rect) Center(w, h int) Rect {
	w, h = min(max(0, w), r.W), min(max(0, h), r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}

// Window is the first row of n that a view of h rows shows, if it showed those from top on before, so that row at
// is among them: it moves no further than it must.
func Window(top, at, n, h int) int {
	if at < top {
		top = at
	}
	if h > 0 && at >= top+h {
		top = at - h + 1
	}
	return max(0, min(top, n-h))
}
