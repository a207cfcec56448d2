import TestSupport
import Testing

@testable import CatenaPromise

@Suite("What is written of errors that nobody looked at", .limitedParallelism)
struct UnhandledErrorLogTests {
    @Test("of one place there is one line in a second, and the next one says how many are missing")
    func onePlace() {
        var limit = ReportLimit()
        #expect(limit.admit("a", at: .zero) == 0)
        for _ in 1...10_000 { #expect(limit.admit("a", at: .milliseconds(999)) == nil) }
        #expect(limit.admit("a", at: .seconds(1)) == 10_000)
        #expect(limit.admit("a", at: .seconds(3)) == 0)
    }

    @Test("places do not stand in one another's way")
    func places() {
        var limit = ReportLimit()
        #expect(limit.admit("a", at: .zero) == 0)
        #expect(limit.admit("b", at: .zero) == 0)
        #expect(limit.admit("a", at: .zero) == nil)
        #expect(limit.admit("b", at: .seconds(1)) == 0)
        #expect(limit.admit("a", at: .seconds(1)) == 1)
    }

    @Test("of more places than anybody reads in a second the rest is left out, and nothing is kept of those that are over")
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

    @Test("a place that fails again and again is told of with what is missing")
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
