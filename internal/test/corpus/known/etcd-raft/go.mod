module example.com/known

go 1.26

require (
	go.etcd.io/raft/v3 v3.7.0-rc.0
	google.golang.org/protobuf v1.36.11
)
