import Testing

@testable import Catena

/// The decision which transfers wait for the first connection to an origin.
@Suite(.limitedParallelism) struct OriginAdmissionTests {
    private typealias Admission = OriginAdmission<Int>

    private static func held(_ count: Int, by admission: inout Admission) -> Bool {
        (0..<count).allSatisfy { if case .wait = admission.enter($0) { true } else { false } }
    }

    private static func starts(_ admission: inout Admission) -> Bool {
        if case .start = admission.enter(-1) { true } else { false }
    }

    private static func scouts(_ admission: inout Admission) -> Bool {
        if case .startAsScout = admission.enter(-1) { true } else { false }
    }

    @Test("the other transfers wait for the first one, and start once its connection speaks HTTP/1.1")
    func http1() {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(3, by: &admission))
        #expect(admission.connected(isScout: true, .http1) == [0, 1, 2])
        #expect(Self.starts(&admission) && Self.starts(&admission))
        // Transfers do not wait even if the origin has lost its connection.
        admission.disconnected()
        #expect(Self.starts(&admission))
    }

    @Test("over HTTP/2 or an unknown protocol the other transfers wait for the first byte", arguments: [true, false])
    func http2(isKnown: Bool) {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(3, by: &admission))
        #expect(admission.connected(isScout: true, isKnown ? .http2 : .unknown).isEmpty && admission.isSettling)
        #expect(Self.held(1, by: &admission))
        #expect(admission.release() == [0, 1, 2, 0] && !admission.isSettling)
        #expect(Self.starts(&admission))
    }

    @Test(
        "the wait for the first byte is as long as connecting took, and two round trips without TLS",
        arguments: [
            (0, 0, 50), (1, 3, 50), (30, 0, 60), (30, 45, 60), (150, 0, 300), (150, 300, 300), (1, 500, 500), (150, 900, 900),
            (600, 0, 1000), (10, 5000, 1000), (-2, -5, 50),
        ] as [(Int64, Int64, Int64)])
    func settling(connected: Int64, encrypted: Int64, milliseconds: Int64) {
        let time = Admission.settlingTime(connected: connected * 1000, encrypted: encrypted * 1000, least: 50_000)
        #expect(time == milliseconds * 1000)
    }

    @Test("if the first transfer fails, the waiting ones start, and the next one is a scout")
    func failure() {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(2, by: &admission))
        #expect(admission.release() == [0, 1])
        #expect(Self.scouts(&admission))
    }

    @Test("after an origin has lost all its connections, the next transfer is a scout again")
    func cold() {
        var admission = Admission()
        #expect(Self.scouts(&admission))
        _ = admission.connected(isScout: true, .http2)
        _ = admission.release()
        #expect(admission.connected(isScout: false, .http2).isEmpty)
        admission.disconnected()
        #expect(Self.starts(&admission))
        admission.disconnected()
        #expect(Self.scouts(&admission))
    }
}
