import Foundation
import Testing

@testable import Catena

@Suite("What the standard envelope makes of what backends send", .limitedParallelism)
struct EnvelopeShapeTests {
    @Test("the usual shapes are read as the guide says", arguments: UsualShapes.all)
    func usual(shape: EnvelopeShape) throws {
        let (outcome, isReported) = try EnvelopeShape.Outcome.of(answer(shape.body, status: shape.status))
        #expect(outcome.meets(shape.given ?? shape.wanted), "\(outcome)")
        #expect(isReported == shape.isReported)
    }

    @Test("the shapes of public interfaces are read by the same rules", arguments: PublicShapes.all)
    func publicInterfaces(shape: EnvelopeShape) throws {
        let (outcome, isReported) = try EnvelopeShape.Outcome.of(answer(shape.body, status: shape.status))
        #expect(outcome.meets(shape.given ?? shape.wanted), "\(outcome)")
        #expect(isReported == shape.isReported)
    }

    /// Failures in which no word is one of the vocabulary: a step or a preset has to name them.
    private static let unheard: Set = ["Viber, failure"]

    @Test("a failure that passes is reported, unless nothing in it says a word that is known")
    func unheard() {
        let passing = PublicShapes.all.filter { shape in
            if case .failure = shape.wanted, shape.given == .whole { !shape.isReported } else { false }
        }
        #expect(Set(passing.map(\.name)) == Self.unheard)
    }
}
