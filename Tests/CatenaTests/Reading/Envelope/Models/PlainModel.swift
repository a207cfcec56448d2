import Catena
import Foundation

/// A model of a public resource.
protocol PlainModel: Codable, Equatable, Sendable {}

/// The models of `Tests/EnvelopeShapes/models.txt`. Each is a struct with the keys that a caller would ask for.
enum PlainModels {
    static let all = [part1, part2, part3, part4, part5].reduce(into: [:]) { $0.merge($1) { first, _ in first } }
}
