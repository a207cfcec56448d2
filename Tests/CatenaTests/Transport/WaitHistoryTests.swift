import Testing

@testable import Catena

#if os(Linux) && canImport(Glibc)
import Glibc
#endif

@Suite("Wait history", .limitedParallelism)
struct WaitHistoryTests {
    // A number is a wait of so many microseconds, nil the end of a call.
    @Test(
        "a wait is worth staying awake for after four brief ones in a row, as long as calls are short",
        arguments: [
            ([], false), ([10, 10, nil, 10], false), ([10, 10, nil, 10, 10, nil], true), ([0, 149, 149, 0, nil], true),
            ([10, 10, nil, 10, 150, nil], false), ([10, 10, nil, 10, 10, nil, 10, 150, nil], false),
            ([150, 10, 10, nil, 10, 10, nil], true), ([10, 900, nil, 10, 900, nil, 10, 900, nil, 10], false),
            ([10, 10, nil, 10, 10, nil, 10, 900, nil, 10, 10, nil, 10], false),
            // A long body.
            ([10, 10, 10, 10], false), ([10, 10, nil, 10, 10, nil, 10, 10, 10], true),
            ([10, 10, nil, 10, 10, nil, 10, 10, 10, 10, 10], false),
            ([10, 10, nil, 10, 10, nil, 10, 10, 10, 10, 10, nil], true),
        ] as [([Int?], Bool)])
    func history(waits: [Int?], isWorthStayingAwake: Bool) {
        var history = WaitHistory()
        for wait in waits { if let wait { history.note(wait) } else { history.noteEnd() } }
        #expect(history.isWorthStayingAwake == isWorthStayingAwake)
    }

    #if os(Linux) && canImport(Glibc)
    @Test("after however many brief waits one that takes longer is waited out, and ends by what comes first")
    func longWait() throws {
        let poller = try #require(Poller())
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        poller.opened(ends[0])
        poller.watch(ends[0], for: 1)
        for round in 0..<3 {
            for _ in 0..<20 {
                poller.wake()
                #expect(events(of: poller) == ["wake-up"])
                poller.noteEnd()
            }
            if round == 1 { #expect(write(ends[1], "x", 1) == 1) }
            poller.setAlarm(after: 2_000_000)
            #expect(events(of: poller) == (round == 1 ? ["socket"] : []))
            #expect(round == 1 || poller.takeAlarm())
            var byte: UInt8 = 0
            if round == 1 { #expect(read(ends[0], &byte, 1) == 1) }
        }
    }

    private func events(of poller: Poller) -> [String] {
        var events: [String] = []
        poller.wait(mayStayAwake: true) { event in
            switch event {
            case .wakeUp: events.append("wake-up")
            case .socket: events.append("socket")
            }
        }
        return events
    }
    #endif
}
