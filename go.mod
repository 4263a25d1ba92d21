module github.com/gopor/gopor

go 1.25
