import Testing

@testable import Catena

#if os(Linux) && canImport(Glibc)
import Glibc
#endif

@Suite("Wait history", .limitedParallelism)
struct WaitHistoryTests {
    // A number is a wait in microseconds, and nil is the end of a call.
    @Test(
        "a loop stays awake for the next wait after four brief ones in a row, as long as calls are short",
        arguments: [
            ([], false), ([10, 10, nil, 10], false), ([10, 10, nil, 10, 10, nil], true), ([0, 149, 149, 0, nil], true),
            ([10, 10, nil, 10, 150, nil], false), ([10, 10, nil, 10, 10, nil, 10, 150, nil], false),
            ([150, 10, 10, nil, 10, 10, nil], true), ([10, 900, nil, 10, 900, nil, 10, 900, nil, 10], false),
            ([10, 10, nil, 10, 10, nil, 10, 900, nil, 10, 10, nil, 10], false),
            // A long body.
            ([10, 10, 10, 10], false), ([10, 10, nil, 10, 10, nil, 10, 10, 10], true),
            ([10, 10, nil, 10, 10, nil, 10, 10, 10, 10, 10], false),
            ([10, 10, nil, 10, 10, nil, 10, 10, 10, 10, 10, nil], true),
        ] as [([Int64?], Bool)])
    func history(waits: [Int64?], isWorthStayingAwake: Bool) {
        var history = WaitHistory()
        for wait in waits { if let wait { history.note(wait) } else { history.noteEnd() } }
        #expect(history.isWorthStayingAwake == isWorthStayingAwake)
    }

    // Either each wait for a response is long, between brief ones, or a busy machine stalls each fifth wait.
    @Test(
        "a loop stays awake for at most two long waits if they recur regularly",
        arguments: [[900, 10, 10, 10, nil, 10], [10, 10, nil, 10, 10, nil, 3_000]] as [[Int64?]])
    func rhythm(waits: [Int64?]) {
        var history = WaitHistory()
        var wasted = 0
        for _ in 0..<10_000 {
            for wait in waits {
                guard let wait else {
                    history.noteEnd()
                    continue
                }
                if history.isWorthStayingAwake, wait >= WaitHistory.briefWait { wasted += 1 }
                history.note(wait)
            }
        }
        #expect((1...2).contains(wasted))
    }

    @Test("a rare long wait does not keep a loop from staying awake afterwards")
    func seldom() {
        var history = WaitHistory()
        var awake = 0
        for number in 0..<100_000 {
            if history.isWorthStayingAwake { awake += 1 }
            history.note(number % 1000 == 999 ? 900 : 10)
            history.noteEnd()
        }
        #expect(awake > 95_000)
    }

    #if os(Linux) && canImport(Glibc)
    @Test("a long wait after many brief ones ends with its first event or with the alarm", arguments: [true, false])
    func longWait(mayStayAwake: Bool) throws {
        let poller = try #require(Poller())
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        poller.opened(ends[0])
        poller.watch(ends[0], for: 1)
        for round in 0..<3 {
            // On a busy machine some waits take longer.
            for _ in 0..<(mayStayAwake ? 1_000_000 : 1000) where !poller.history.isWorthStayingAwake {
                poller.wake()
                #expect(events(of: poller, mayStayAwake) == ["wake-up"])
                poller.noteEnd()
            }
            #expect(poller.history.isWorthStayingAwake == mayStayAwake)
            if round == 1 { #expect(write(ends[1], "x", 1) == 1) }
            poller.setAlarm(after: 2_000_000)
            #expect(events(of: poller, mayStayAwake) == (round == 1 ? ["socket"] : []))
            #expect(round == 1 || poller.takeAlarm())
            var byte: UInt8 = 0
            if round == 1 { #expect(read(ends[0], &byte, 1) == 1) }
        }
    }

    private func events(of poller: Poller, _ mayStayAwake: Bool) -> [String] {
        var events: [String] = []
        poller.wait(mayStayAwake: mayStayAwake) { event in
            switch event {
            case .wakeUp: events.append("wake-up")
            case .socket: events.append("socket")
            }
        }
        return events
    }
    #endif
}
