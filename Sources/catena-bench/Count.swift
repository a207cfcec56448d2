import Catena

/// One kind of operation, over and over, for a counter of instructions or allocations to look at. The difference between two runs
/// with different numbers is what the operation costs:
///
///   valgrind --tool=callgrind catena-bench count map 1000
///   valgrind --tool=callgrind catena-bench count map 2000
func count(_ operation: String, times: Int) async throws {
    switch operation {
    case "map": for _ in 0..<times { keep(chain(10)) }
    case "all": for _ in 0..<times { keep(all(100)) }
    case "await":
        let promise = Promise(value: 1)
        for _ in 0..<times { keep(try await promise.value) }
    case "prepare":
        let client = Client()
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        client.commonParams { _ in ["app": "ios", "v": "3.2"] }
        client.commonHeaders { _ in ["Authorization": "Bearer made-up"] }
        let base = client.tag("forum")
        for index in 0..<times {
            keep(try await base.get("/v1/rooms/\(index)/users").params(["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"]).preview())
        }
    default: print("count map | all | await | prepare [times]")
    }
}
