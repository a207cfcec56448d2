import CatenaTesting
import CatenaURLSession
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct TransferTests {
    let clock = VirtualClock()

    func client(_ answer: @escaping @Sendable () -> TransportResponse) -> (Client, ClosureTransport) {
        let stub = ClosureTransport { _ in answer() }
        let client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    // MARK: Progress

    @Test("calls and streams report their progress on the main actor, and reach 1 before the value is delivered")
    @MainActor func progress() async throws {
        let (client, _) = client { .pieces(["12345", "67890"], headers: ["Content-Length": "10"]) }
        let told = Recorder<TransferProgress>()
        let request = client.get("/a").onProgress { told.note($0) }
        let count = Recorder<Int>()
        _ = try await request.execute(.data).then { _ in count.note(told.events.count) }.value
        #expect(told.events.map(\.completed) == [0, 10])
        #expect(told.events.map(\.fraction) == [0, 1])
        #expect(count.events == [2])
        _ = try await request.stream().collected()
        try await Promise<Void>(value: ()).then {}.value
        #expect(told.events.map(\.completed) == [0, 10, 0, 10])
    }

    @Test(
        "a response of unknown or compressed length has no fraction until the end",
        arguments: [[:], ["Content-Encoding": "gzip", "Content-Length": "3"]])
    @MainActor func unknownTotal(headers: HTTPHeaders) async throws {
        let (client, _) = client { .pieces(["12345"], headers: headers) }
        let told = Recorder<TransferProgress>()
        _ = try await client.get("/a").onProgress(.download) { told.note($0) }.execute(.string).then { _ in }.value
        #expect(told.events.map(\.total) == [nil, 5])
        #expect(told.events.map(\.fraction) == [nil, 1])
    }

    @Test("an upload reports the number of sent bytes, which never decreases and ends at 1", arguments: [10, 3_000_000])
    @MainActor func upload(size: Int) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.post("/in") { _ in .json(text: "1") }
        let told = Recorder<TransferProgress>()
        try await Client().absoluteURL(server.url + "/in").body(Data(count: size), contentType: "a/b")
            .onProgress(.upload) { told.note($0) }.execute(.void).then { _ in }.value
        let counts = told.events.map(\.completed)
        #expect(counts.first == 0)
        #expect(counts == counts.sorted())
        #expect(told.events.last?.completed == Int64(size))
        #expect(told.events.last?.fraction == 1)
        #expect(server.requests.first?.bodyLength == size)
    }

    @Test("a call that fails never reports the fraction 1", arguments: [404, 200])
    @MainActor func failing(status: Int) async throws {
        let (client, _) = client { .pieces(["12345"], status: status, headers: ["Content-Length": "9"], end: APIError(.connectionLost)) }
        let told = Recorder<TransferProgress>()
        await #expect(throws: APIError.self) { try await client.get("/a").onProgress { told.note($0) }.execute(.data).catch { _ in }.value }
        #expect(told.events.allSatisfy { $0.fraction != 1 })
    }

    @Test(
        "a call whose complete response is a failure never reports the fraction 1",
        arguments: [#"{"code":7,"msg":"no"}"#, #"{"code":0,"data":"text"}"#])
    @MainActor func useless(answer: String) async throws {
        let (client, _) = client { .pieces([answer]) }
        let told = Recorder<TransferProgress>()
        await #expect(throws: APIError.self) {
            try await client.post("/a").json(["a": 1]).onProgress { told.note($0) }.execute(as: Int.self).catch { _ in }.value
        }
        #expect(told.events.map(\.direction) == [.upload, .download])
        #expect(told.events.map(\.completed) == [0, 0])
        #expect(told.events.allSatisfy { $0.fraction != 1 })
    }

    @Test("after a retry the end of the progress belongs to the attempt that succeeded") @MainActor
    func retried() async throws {
        let clock = VirtualClock(isAutomatic: true)
        let attempts = Counter()
        let stub = ClosureTransport { _ in
            attempts.increment()
            return .pieces(attempts.count == 1 ? [#"{"code":77}"#] : [#"{"code":0,"#, #""data":"longer than it was"}"#])
        }
        let client = Client(transport: stub, clock: clock)
        let told = Recorder<TransferProgress>()
        var retry = RetryPolicy.exponential(limit: 1)
        retry.codes = [77]
        _ = try await client.host("https://example.com").put("/a").json(["a": 1]).retry(retry).onProgress { told.note($0) }
            .execute(as: String.self).then { _ in }.value
        #expect(attempts.count == 2)
        let ends = told.events.filter { $0.fraction == 1 }
        #expect(ends.map(\.direction) == [.upload, .download])
        #expect(ends.map(\.completed) == [7, 38])
        #expect(Array(told.events.suffix(2)) == ends)
    }

    @Test("an upload ends with the head of a streamed response, or with the file of a download") @MainActor
    func uploadOfStream() async throws {
        let (client, _) = client { .pieces(["12345"]) }
        let told = Recorder<TransferProgress>()
        let request = client.post("/a").json(["a": 1]).onProgress { told.note($0) }
        let answer = try await request.stream().open()
        try await Promise<Void>(value: ()).then {}.value
        #expect(told.events.map(\.completed) == [0, 7])
        #expect(told.events.map(\.fraction) == [0, 1])
        _ = try await answer.collected()
        try await Promise<Void>(value: ()).then {}.value
        #expect(told.events.map(\.completed) == [0, 7, 0, 5])

        let folder = try ScratchFolder()
        let again = Recorder<TransferProgress>()
        _ = try await client.post("/a").json(["a": 1]).onProgress { again.note($0) }.execute(.download(to: folder.file("a"))).then { _ in }
            .value
        #expect(again.events.filter { $0.fraction == 1 }.map(\.direction) == [.upload, .download])
        #expect(again.events.filter { $0.fraction == 1 }.map(\.completed) == [7, 5])
    }

    @Test("a handler for uploads does not receive the progress of downloads") @MainActor func direction() async throws {
        let (client, _) = client { .pieces(["12345"]) }
        let told = Recorder<TransferProgress>()
        _ = try await client.get("/a").onProgress(.upload) { told.note($0) }.execute(.data).then { _ in }.value
        #expect(told.events.isEmpty)
    }

    @Test("the reporter reports uploads and downloads separately") @MainActor func bothDirections() async throws {
        let told = Recorder<TransferProgress>()
        let reporter = ProgressReporter([ProgressObserver(direction: nil) { told.note($0) }], clock: clock)
        reporter.note(.upload, 0, of: 4)
        reporter.note(.upload, 4, of: 4)
        reporter.finish(.upload)
        reporter.note(.download, 0, of: nil)
        reporter.note(.download, 2, of: nil)
        reporter.finish(.upload, .download)
        _ = try await Promise(value: 1).then { _ in }.value
        #expect(told.events.map(\.direction) == [.upload, .upload, .download, .download])
        #expect(told.events.map(\.completed) == [0, 4, 0, 2])
    }

    @Test("a Foundation Progress follows the transfer") @MainActor func foundation() async throws {
        let (client, _) = client { .pieces(["12345"]) }
        let progress = Progress(totalUnitCount: 0)
        _ = try await client.get("/a").onProgress(to: progress).execute(.data).then { _ in }.value
        #expect(progress.completedUnitCount == 5)
        #expect(progress.totalUnitCount == 5)
        #expect(progress.isFinished)
    }

    @Test("onProgress accepts a function as well as a closure, with and without a direction") func functions() async throws {
        let (client, _) = client { .pieces(["12345"], headers: ["Content-Length": "5"]) }
        let told = Recorder<TransferProgress.Direction>()
        let handler: @Sendable (TransferProgress) -> Void = { told.note($0.direction) }
        let request = client.post("/a").body(Data("123".utf8), contentType: "text/plain")
        _ = try await request.onProgress(handler).execute(.string).then { _ in }.value
        #expect(Set(told.events) == [.upload, .download])
        let before = told.count
        _ = try await request.onProgress(.upload, handler).execute(.string).then { _ in }.value
        #expect(Set(told.events.dropFirst(before)) == [.upload])
    }

    @Test("a call with a progress handler keeps the limits of size and time") func limits() async throws {
        let (client, _) = client { .pieces(["12345", "67890"]) }
        client.configureDefaults { $0.bodyLimit = 9 }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").onProgress { _ in }.execute(.data).value }
        #expect(error?.kind == .bodyTooLarge)
        #expect(error?.status == 200)

        let silent = Client(
            transport: ClosureTransport { _ in TransportResponse(status: 200, body: TransportBody(AsyncStream<Data> { _ in })) },
            clock: clock)
        let call: Promise<Data> = silent.host("https://example.com").get("/a").timeout(.seconds(1)).onProgress { _ in }.execute(.data)
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        let late = await #expect(throws: APIError.self) { try await call.value }
        #expect(late?.kind == .timeout)
    }

    // MARK: Control

    @Test("a suspended request is not sent until it is resumed") func holding() async throws {
        let (client, stub) = client { .pieces(["1"]) }
        let control = TransferControl()
        control.suspend()
        let arrived = Promise<Void>.pending()
        let call = client.get("/a").before { arrived.resolver.fulfill(()) }.set(\.control, control).execute(as: Int.self)
        _ = await arrived.promise.result
        await giveChances()
        #expect(stub.requests.isEmpty)
        #expect(control.isSuspended)
        control.resume()
        #expect(try await call.value == 1)
    }

    @Test("cancelling ends the wait of a suspended request") func cancelled() async throws {
        let (client, stub) = client { .pieces(["1"]) }
        let control = TransferControl()
        control.suspend()
        let call = client.get("/a").set(\.control, control).execute()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        control.resume()
        #expect(stub.requests.isEmpty)
    }

    @Test("a suspended stream reads nothing further until it is resumed") func reading() async throws {
        let server = try LoopbackServer()
        let total = 64 * 1024 * 1024
        let megabyte = Data(repeating: 7, count: 1024 * 1024)
        server.get("/a") { _ in .chunked(Array(repeating: megabyte, count: 64)) }
        let client = Client()
        let control = TransferControl()
        let first = Promise<Void>.pending()
        let received = Counter()
        let task = Task {
            var count = 0
            for try await piece in client.host(server.url).get("/a").set(\.control, control).stream() {
                if count == 0 {
                    control.suspend()
                    first.resolver.fulfill(())
                }
                count += piece.count
                received.increment()
            }
            return count
        }
        _ = await first.promise.result
        await received.reached(1)
        await giveChances()
        #expect(received.count == 1)
        control.resume()
        #expect(try await task.value == total)
    }

    @Test("cancelling all calls, or a deadline, also ends a call whose stream is suspended", arguments: [true, false])
    func endWhileHeldUp(isCancelled: Bool) async throws {
        let (client, _) = client { TransportResponse(status: 200, body: TransportBody(AsyncStream<Data>.makeStream().stream)) }
        let control = TransferControl()
        let answer = try await client.get("/a").deadline(.seconds(5)).set(\.control, control).stream().open()
        control.suspend()
        if isCancelled { client.calls.cancelAll() } else { clock.advance(by: .seconds(5)) }
        // The iteration throws, although the control stays suspended.
        var pieces = answer.makeAsyncIterator()
        let error = await #expect(throws: (any Error).self) { try await pieces.next() }
        #expect(isCancelled ? error is CancellationError : (error as? APIError)?.kind == .timeout)
    }

    @Test("cancelling all calls also ends a stream whose error handler waits", arguments: [true, false])
    func endWhileHandled(isMidway: Bool) async throws {
        let (handling, never) = (Promise<Void>.pending(), Promise<Void>.pending())
        let (client, _) = client {
            guard isMidway else { return .pieces(["x"]) }
            return TransportResponse(
                status: 200, body: TransportBody(AsyncThrowingStream<Data, any Error> { throw APIError(.connectionLost) }))
        }
        client.onError { _, _ in
            handling.resolver.fulfill(())
            // Ignores that the call has been cancelled.
            _ = await never.promise.result
            return .proceed
        }
        let reader = Task {
            if isMidway { for try await _ in client.get("/a").stream() {} }
            // The last line is read after the end of the body.
            for try await _ in client.get("/a").lines(as: Int.self) {}
        }
        try await handling.promise.value
        #expect(client.calls.tasks().map(\.state) == [.running])
        client.calls.cancelAll()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(client.calls.tasks().isEmpty)
        never.resolver.fulfill(())
    }

    @Test("the timeout of an attempt also ends it while its response is suspended") func limitWhileHeldUp() async throws {
        let control = TransferControl()
        let reading = Promise<Void>.pending()
        let (client, _) = client {
            control.suspend()
            let body = AsyncThrowingStream<Data, any Error> {
                reading.resolver.fulfill(())
                await untilCancelled()
                return nil
            }
            return TransportResponse(status: 200, body: TransportBody(body))
        }
        let call: Promise<String> = client.get("/a").timeout(.seconds(2)).set(\.control, control).execute(.string)
        try await reading.promise.value
        clock.advance(by: .seconds(2))
        #expect(await call.result.apiError?.kind == .timeout)
    }
}
