import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Stages of one call", .limitedParallelism)
struct StageWalkTests {
    /// A stage that records its calls.
    private struct Noted: Stage {
        let title: String
        let notes: Recorder<String>
        var entry: StageEntry = .passed
        var fault: Fault?
        var handlesAll = false
        /// Whether `run` calls `next`.
        var goesOn = true

        var name: StageName { .limits }
        var explanation: String { title }

        func enter(_ call: inout Call) throws -> StageEntry {
            notes.note("enter \(title)")
            if let fault { throw fault }
            if entry == .passed { call.prepared.headers["X-\(title)"] = "entered" }
            return entry
        }

        func handles(_ error: any Error, of call: Call) -> Bool { handlesAll }

        func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {
            notes.note("leave \(title) \((try? outcome.get()) == nil ? "failed" : "done")")
        }

        func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
            notes.note("run \(title) \(hasEntered ? call.prepared.headers["X-\(title)"] ?? "" : "anew")")
            guard goesOn else { throw Fault(text: title) }
            do {
                return try await next(call)
            } catch is Fault where handlesAll {
                return try await next(call)
            }
        }
    }

    private struct Fault: Error {
        var text = ""
    }

    private let notes = Recorder<String>()

    private func call() async throws -> Call {
        try await Preparation.call(of: CallRun(Client(testing: Stubs()).get("/a")))
    }

    private func stage(_ title: String, _ change: (inout Noted) -> Void = { _ in }) -> Noted {
        var stage = Noted(title: title, notes: notes)
        change(&stage)
        return stage
    }

    private var last: Next {
        { [notes] call in
            notes.note("send")
            return HTTPResponse(status: 200, headers: [:], address: call.prepared.address)
        }
    }

    @Test("stages that pass are left once, in reverse order")
    func passed() async throws {
        let walk = StageWalk([stage("A"), stage("B"), stage("C")])
        let sent = try #require(try walk.enter(try await call()))
        #expect(["A", "B", "C"].allSatisfy { sent.prepared.headers["X-\($0)"] == "entered" })
        let response = HTTPResponse(status: 200, headers: [:], address: sent.prepared.address)
        walk.leave(.success(response))
        walk.leave(.success(response))
        #expect(notes.events == ["enter A", "enter B", "enter C", "leave C done", "leave B done", "leave A done"])
    }

    @Test("if a stage waits, the chain runs the stages before it as entered, and the others anew")
    func waiting() async throws {
        let walk = StageWalk([stage("A"), stage("B") { $0.entry = .waits }, stage("C")])
        let call = try await call()
        #expect(try walk.enter(call) == nil)
        _ = try await walk.run(call, last: last)
        #expect(notes.events == ["enter A", "enter B", "run A entered", "run B anew", "run C anew", "send"])
    }

    @Test("a stage that handles a failure runs as entered, and the stages after it run anew", arguments: ["A", "B", "C"])
    func takenOver(handler: String) async throws {
        let walk = StageWalk(["A", "B", "C"].map { title in stage(title) { $0.handlesAll = title == handler } })
        let call = try await call()
        _ = try walk.enter(call)
        #expect(walk.takesOver(Fault()))
        _ = try await walk.run(call, last: last)
        let anew = ["A", "B", "C"].filter { $0 > handler }.map { "run \($0) anew" }
        #expect(notes.events == ["enter A", "enter B", "enter C", "run A entered", "run B entered", "run C entered"] + anew + ["send"])
    }

    @Test("a failure that no stage handles leaves all of them")
    func unhandled() async throws {
        let walk = StageWalk([stage("A"), stage("B")])
        _ = try walk.enter(try await call())
        #expect(!walk.takesOver(Fault()))
        walk.leave(.failure(Fault()))
        #expect(notes.events.suffix(2) == ["leave B failed", "leave A failed"])
    }

    @Test("an error that a stage throws in `enter` reaches the stages before it", arguments: [true, false])
    func thrown(isHandled: Bool) async throws {
        let walk = StageWalk([stage("A") { $0.handlesAll = isHandled }, stage("B") { $0.fault = Fault() }, stage("C")])
        let call = try await call()
        #expect(throws: Fault.self) { try walk.enter(call) }
        #expect(walk.takesOver(Fault()) == isHandled)
        if isHandled {
            _ = try await walk.run(call, last: last)
            #expect(notes.events.suffix(4) == ["run A entered", "run B anew", "run C anew", "send"])
        } else {
            walk.leave(.failure(Fault()))
            #expect(notes.events.suffix(1) == ["leave A failed"])
        }
    }

    @Test("a call that ends before its chain, or whose outer stage does not call `next`, leaves the stages that it has entered")
    func abandoned() async throws {
        do {
            let walk = StageWalk([stage("A"), stage("B") { $0.entry = .waits }])
            _ = try walk.enter(try await call())
        }
        #expect(notes.events.suffix(1) == ["leave A failed"])
        let walk = StageWalk([stage("A") { $0.goesOn = false }, stage("B"), stage("C") { $0.entry = .waits }])
        let call = try await call()
        _ = try walk.enter(call)
        await #expect(throws: Fault.self) { try await walk.run(call, last: last) }
        #expect(notes.events.suffix(2) == ["run A entered", "leave B failed"])
    }
}
