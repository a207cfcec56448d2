import Testing

@testable import Catena

/// Which transfers wait for the first connection to an origin.
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

    @Test("the first transfer starts, the others wait for it, and start at once where the protocol is HTTP/1.1")
    func http1() {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(3, by: &admission))
        #expect(admission.connected(isScout: true, .http1) == [0, 1, 2])
        #expect(Self.starts(&admission) && Self.starts(&admission))
        // Not even without a connection.
        admission.disconnected()
        #expect(Self.starts(&admission))
    }

    @Test("over HTTP/2, or what may be, they wait for the first byte", arguments: [true, false])
    func http2(isKnown: Bool) {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(3, by: &admission))
        #expect(admission.connected(isScout: true, isKnown ? .http2 : .unknown).isEmpty && admission.isSettling)
        #expect(Self.held(1, by: &admission))
        #expect(admission.release() == [0, 1, 2, 0] && !admission.isSettling)
        #expect(Self.starts(&admission))
    }

    @Test("if the first fails they start, and the next ones wait for another scout")
    func failure() {
        var admission = Admission()
        #expect(Self.scouts(&admission) && Self.held(2, by: &admission))
        #expect(admission.release() == [0, 1])
        #expect(Self.scouts(&admission))
    }

    @Test("an origin whose connections are gone is cold again")
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
