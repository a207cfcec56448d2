import Foundation
import Testing

@testable import Catena

@Suite("The standard envelope and the responses of backends", .limitedParallelism)
struct EnvelopeShapeTests {
    @Test("the usual shapes are read as the guide says")
    static func usualRows() {
        each(UsualShapes.all) { try Self().usual(shape: $0) }
    }

    func usual(shape: EnvelopeShape) throws {
        let (outcome, isReported) = try EnvelopeShape.Outcome.of(answer(shape.body, status: shape.status))
        #expect(outcome.meets(shape.given ?? shape.wanted), "\(outcome)")
        #expect(isReported == shape.isReported)
    }

    @Test("the responses of public APIs are read by the same rules")
    static func publicInterfacesRows() {
        each(PublicShapes.all) { try Self().publicInterfaces(shape: $0) }
    }

    func publicInterfaces(shape: EnvelopeShape) throws {
        let (outcome, isReported) = try EnvelopeShape.Outcome.of(answer(shape.body, status: shape.status))
        #expect(outcome.meets(shape.given ?? shape.wanted), "\(outcome)")
        #expect(isReported == shape.isReported)
    }

    /// Failures without a word of the vocabulary. Only a step or a preset can recognize them.
    private static let unheard: Set<String> = []

    @Test("a failure that passes is reported, unless it has no word of the vocabulary")
    func unheard() {
        let passing = PublicShapes.all.filter { shape in
            if case .failure = shape.wanted, shape.given == .whole { !shape.isReported } else { false }
        }
        #expect(Set(passing.map(\.name)) == Self.unheard)
    }
}
