module example.com/known

go 1.26

require github.com/coreos/etcd v3.3.13+incompatible

require (
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)
