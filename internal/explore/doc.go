// Package explore has one search: a [Session] with a [Request]. The search goes through phases,
// each with an engine and a way in which executions run. It ends when all is covered, a limit is
// met or enough failures are found. A monitor watches it. Its result is one of package report.
package explore
