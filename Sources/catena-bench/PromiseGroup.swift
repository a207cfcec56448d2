import Catena
import Dispatch

/// Measures promises, and the same with closures, tasks and continuations.
func promiseGroup(_ effort: Effort) async throws {
    let many = effort.iterations(100_000)
    try await compare(
        "one handler on a pending promise", iterations: many, effort: effort,
        [
            Alternative(name: "closure in an array, called") { count in
                for index in 0..<count {
                    var handlers: [(Int) -> Void] = []
                    handlers.append { keep($0) }
                    for handler in handlers { handler(index) }
                }
            },
            Alternative(name: "Promise.pending, map, fulfill") { count in
                for index in 0..<count {
                    let (promise, resolver) = Promise<Int>.pending()
                    keep(promise.map { $0 &+ 1 })
                    resolver.fulfill(index)
                }
            },
            Alternative(name: "withCheckedContinuation") { count in
                for index in 0..<count { keep(await withCheckedContinuation { $0.resume(returning: index) }) }
            },
            Alternative(name: "Task { } and await") { count in
                for index in 0..<count { keep(await Task { index }.value) }
            },
        ])
    for length in [10, 1_000] {
        try await compare(
            "a chain of \(length) maps, settled afterwards; for each map", iterations: many, effort: effort,
            [
                Alternative(name: "closures that call each other") { count in
                    for _ in 0..<max(1, count / length) {
                        var call: (Int) -> Int = { $0 }
                        for _ in 0..<length {
                            let inner = call
                            call = { inner($0 &+ 1) }
                        }
                        keep(call(0))
                    }
                },
                Alternative(name: "Promise.map") { count in
                    for _ in 0..<max(1, count / length) { keep(chain(length)) }
                },
            ])
    }
    try await compare(
        "all of 1,000 promises; for each of them", iterations: many, effort: effort,
        [
            Alternative(name: "task group") { count in
                for _ in 0..<max(1, count / 1000) {
                    keep(
                        await withTaskGroup(of: Int.self) { group in
                            for index in 0..<1000 { group.addTask { index } }
                            return await group.reduce(0, &+)
                        })
                }
            },
            Alternative(name: "Promise.all") { count in
                for _ in 0..<max(1, count / 1000) { keep(all(1000)) }
            },
        ])
    try await compare(
        "awaiting", iterations: many, effort: effort,
        [
            Alternative(name: "a settled promise") { count in
                let promise = Promise(value: 1)
                for _ in 0..<count { keep(try await promise.value) }
            },
            Alternative(name: "a finished task") { count in
                let task = Task { 1 }
                for _ in 0..<count { keep(await task.value) }
            },
        ])
    printMemory(many)
    let queue = DispatchQueue(label: "bench")
    try await compare(
        "awaiting what another thread settles", iterations: many / 10, effort: effort,
        [
            Alternative(name: "withCheckedContinuation, queue.async") { count in
                for index in 0..<count {
                    keep(await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: index) } })
                }
            },
            Alternative(name: "Promise.pending, queue.async") { count in
                for index in 0..<count {
                    let (promise, resolver) = Promise<Int>.pending()
                    queue.async { resolver.fulfill(index) }
                    keep(try await promise.value)
                }
            },
        ])
}

/// Prints the memory of pending promises and of the links of pending chains.
private func printMemory(_ count: Int) {
    var kept: [(promise: Promise<Int>, resolver: Resolver<Int>)] = []
    kept.reserveCapacity(count)
    var before = residentMemory()
    for _ in 0..<count { kept.append(Promise<Int>.pending()) }
    let pending = (residentMemory() - before) / count
    var links: [Promise<Int>] = []
    links.reserveCapacity(count)
    before = residentMemory()
    for (promise, _) in kept { links.append(promise.map { $0 &+ 1 }) }
    let link = (residentMemory() - before) / count
    keep((kept, links))
    // The system does not report the memory.
    guard pending > 0 else { return }
    print("  memory, with the allocator's share")
    print("    a pending promise and its resolver   \(pending) bytes")
    print("    a map that waits for it              \(link) bytes")
}

/// Builds a chain of maps and then settles it.
func chain(_ length: Int) -> Promise<Int> {
    let (start, resolver) = Promise<Int>.pending()
    var end = start
    for _ in 0..<length { end = end.map { $0 &+ 1 } }
    resolver.fulfill(0)
    return end
}

/// Combines pending promises with `all` and then settles them one by one.
func all(_ count: Int) -> Promise<[Int]> {
    let promises = (0..<count).map { _ in Promise<Int>.pending() }
    let all = Promise.all(promises.map { $0.promise })
    for (index, pending) in promises.enumerated() { pending.resolver.fulfill(index) }
    return all
}
