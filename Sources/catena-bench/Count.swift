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
    default: print("count map | all | await [times]")
    }
}
