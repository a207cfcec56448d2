import TestSupport
import Testing

@testable import CatenaPromise

@Suite("The log of unhandled errors", .limitedParallelism)
struct UnhandledErrorLogTests {
    @Test("one place has one line per second, and its next line has the number of omitted ones")
    func onePlace() {
        var limit = ReportLimit()
        #expect(limit.admit("a", at: .zero) == 0)
        for _ in 1...10_000 { #expect(limit.admit("a", at: .milliseconds(999)) == nil) }
        #expect(limit.admit("a", at: .seconds(1)) == 10_000)
        #expect(limit.admit("a", at: .seconds(3)) == 0)
    }

    @Test("places are limited independently of each other")
    func places() {
        var limit = ReportLimit()
        #expect(limit.admit("a", at: .zero) == 0)
        #expect(limit.admit("b", at: .zero) == 0)
        #expect(limit.admit("a", at: .zero) == nil)
        #expect(limit.admit("b", at: .seconds(1)) == 0)
        #expect(limit.admit("a", at: .seconds(1)) == 1)
    }

    @Test("above a number of places per second the others are omitted, and old places are forgotten")
    func manyPlaces() {
        var limit = ReportLimit()
        let admitted = (0..<1000).filter { limit.admit("\($0)", at: .zero) != nil }
        #expect(admitted.count == ReportLimit.mostPlaces)
        #expect(limit.admit("999", at: .milliseconds(999)) == nil)
        #expect(limit.admit("999", at: .seconds(1)) == 0)
    }

    @Test("a line names the place, if it is known")
    func lines() {
        let lines = Recorder<String>()
        let log = UnhandledErrorLog(now: { .zero }, write: { lines.note($0) })
        log.note(PromiseDiagnostics.UnhandledError(error: PromiseError.abandoned, file: "App/Screen.swift", line: 12))
        log.note(PromiseDiagnostics.UnhandledError(error: PromiseError.abandoned, file: "", line: 0))
        #expect(lines.events.first?.hasPrefix("Catena: unhandled failure from App/Screen.swift:12: ") == true)
        #expect(lines.events.last?.hasPrefix("Catena: unhandled failure: ") == true)
        #expect(lines.count == 2)
        #expect(lines.events.allSatisfy { $0.contains("was abandoned") })
    }

    @Test("a repeated failure of a place is logged with the number of omitted lines")
    func again() {
        let lines = Recorder<String>()
        let time = Recorder<Duration>()
        let log = UnhandledErrorLog(now: { time.events.last ?? .zero }, write: { lines.note($0) })
        let report = PromiseDiagnostics.UnhandledError(error: PromiseError.timedOut, file: "A/B.swift", line: 1)
        for _ in 1...3 { log.note(report) }
        time.note(.seconds(1))
        log.note(report)
        #expect(lines.count == 2)
        #expect(lines.events.last?.hasSuffix(" (2 more since the last such line)") == true)
    }
}
