module aman.test/lab/truth

go 1.26

require golang.org/x/tools v0.44.1-0.20260513175300-635ae9663724

require (
	golang.org/x/mod v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
)
