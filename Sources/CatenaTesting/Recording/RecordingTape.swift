public import Catena
import Foundation

/// The calls of a recording and which of them have been replayed.
struct RecordingTape: Sendable {
    private struct Entry: Sendable {
        let call: RecordedCall
        let likeness: RequestLikeness
        /// As it stood in the file.
        let archived: JSON?
        var isUsed = false
    }

    private let name: String
    private var entries: [Entry] = []
    /// The entries that can be alike, in their order.
    private var places: [String: [Int]] = [:]
    private var strays: [String] = []

    init(name: String) {
        self.name = name
    }

    /// Adds a call from the file.
    mutating func load(_ call: RecordedCall, _ likeness: RequestLikeness, archived: JSON) {
        append(Entry(call: call, likeness: likeness, archived: archived))
    }

    /// Adds a call that was just made; it is not replayed.
    mutating func add(_ call: RecordedCall, _ likeness: RequestLikeness) {
        append(Entry(call: call, likeness: likeness, archived: nil, isUsed: true))
    }

    private mutating func append(_ entry: Entry) {
        places[entry.likeness.place, default: []].append(entries.count)
        entries.append(entry)
    }

    /// The next response to a call; each is given once, in the order of the recording.
    mutating func take(_ likeness: RequestLikeness) -> HTTPResponse? {
        let candidates = places[likeness.place] ?? []
        guard let index = candidates.first(where: { !entries[$0].isUsed && entries[$0].likeness == likeness }) else { return nil }
        entries[index].isUsed = true
        return entries[index].call.response
    }

    /// Says why a call has no response.
    mutating func refuse(_ call: StubCall, _ likeness: RequestLikeness) -> APIError {
        let message = reason(call, likeness)
        strays.append(message)
        return APIError(.unrecorded, message: message)
    }

    private func reason(_ call: StubCall, _ likeness: RequestLikeness) -> String {
        let alike = places[likeness.place]?.count { entries[$0].likeness == likeness } ?? 0
        if alike > 0 { return "\(name) has given \(alike == 1 ? "its only response" : "all of its \(alike) answers") to \(call)." }
        let differences = entries.map { $0.likeness.differences(from: likeness) }
        guard let nearest = entries.indices.min(by: { differences[$0].weight < differences[$1].weight }) else {
            return "\(name) has no response to \(call): it is empty."
        }
        return "\(name) has no response to \(call). The nearest is entry \(nearest + 1), \(entries[nearest].call.request), "
            + "but \(differences[nearest].text)."
    }

    /// Calls that had no response, and responses to which there was no call.
    var problems: [String] {
        strays
            + entries.enumerated().filter { !$0.element.isUsed }.map { "\(name): entry \($0 + 1), \($1.call.request), was not called." }
    }

    /// What is not in the file yet, in the order in which it began.
    var news: [RecordedCall] {
        entries.filter { $0.archived == nil }.map(\.call).sorted { $0.started < $1.started }
    }

    /// What stays of the file.
    var archived: [JSON] { entries.compactMap(\.archived) }
}

extension APIError.Kind {
    /// A recording has no response to the call.
    public static let unrecorded = Self("unrecorded")
}
