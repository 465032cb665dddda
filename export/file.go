package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile replaces path with what write writes, whole or not at all: it goes to a temporary file in the same folder,
// which is synced and then renamed. Whatever happens before that, a crash or a full disk included, leaves the old file
// as it was. A link is followed; a pipe or device is written to directly.
func WriteFile(path string, write func(io.Writer) error) error {
	target, perm, direct, err := destination(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	if direct {
		err = writeDirectly(target, write)
	} else {
		err = replace(target, perm, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	return nil
}

// destination is the file behind path, with the permissions of what is there.
func destination(path string) (target string, perm fs.FileMode, direct bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if link, err := os.Readlink(path); err == nil { // to nowhere yet
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(path), link)
			}
			return link, 0, false, nil
		}
		return path, 0, false, nil
	}
	if err != nil {
		return "", 0, false, err
	}
	if info.IsDir() {
		return "", 0, false, errors.New("it is a folder")
	}
	if !info.Mode().IsRegular() {
		return path, 0, true, nil
	}
	target, err = filepath.EvalSymlinks(path)
	return target, info.Mode().Perm(), false, err
}

func writeDirectly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(f)
	return errors.Join(write(buf), buf.Flush(), f.Close())
}

func replace(target string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := createBeside(target)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed { // write failed, or panicked
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buf := bufio.NewWriterSize(f, 64<<10)
	if err := write(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	renamed = true
	return syncFolder(filepath.Dir(target))
}

// createBeside makes a new file in target's folder, with the permissions that new files get here.
func createBeside(target string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf(".assay-%d-%d.tmp", os.Getpid(), n)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(target), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n > 10_000 {
			return f, err
		}
	}
}

// syncFolder makes the rename last. Some file systems can't sync a folder; there the rename has to do.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// bare is the error without the name of the file, which the caller gives; it may be that of the temporary one.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
