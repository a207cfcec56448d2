public import Catena
import CatenaPlatform

/// The calls of a recording, and whether each has been replayed.
struct RecordingTape: Sendable {
    private struct Entry: Sendable {
        let call: RecordedCall
        let likeness: RequestLikeness
        /// The entry in the file, or `nil` if the call is new.
        let archived: JSON?
        var isUsed = false
    }

    private let name: String
    private var entries: [Entry] = []
    /// The indices of the entries with a method, an origin and a path, in order.
    private var places: [String: [Int]] = [:]
    private var strays: [String] = []

    init(name: String) {
        self.name = name
    }

    /// Adds a call from the file.
    mutating func load(_ call: RecordedCall, _ likeness: RequestLikeness, archived: JSON) {
        append(Entry(call: call, likeness: likeness, archived: archived))
    }

    /// Adds a call that was just made. It is not replayed.
    mutating func add(_ call: RecordedCall, _ likeness: RequestLikeness) {
        append(Entry(call: call, likeness: likeness, archived: nil, isUsed: true))
    }

    private mutating func append(_ entry: Entry) {
        places[entry.likeness.place, default: []].append(entries.count)
        entries.append(entry)
    }

    /// Returns the next response to a call. Each is returned once, in the order of the recording.
    mutating func take(_ likeness: RequestLikeness) -> HTTPResponse? {
        let candidates = places[likeness.place] ?? []
        guard let index = candidates.first(where: { !entries[$0].isUsed && entries[$0].likeness == likeness }) else { return nil }
        entries[index].isUsed = true
        return entries[index].call.response
    }

    /// Returns the error of a call that the recording lacks.
    mutating func refuse(_ call: StubRequest, _ likeness: RequestLikeness) -> APIError {
        let message = reason(call, likeness)
        strays.append(message)
        return APIError(.unrecorded, message: message)
    }

    private func reason(_ call: StubRequest, _ likeness: RequestLikeness) -> String {
        let alike = places[likeness.place]?.count { entries[$0].likeness == likeness } ?? 0
        if alike > 0 { return "\(name) has given \(alike == 1 ? "its only response" : "all of its \(alike) answers") to \(call)." }
        let differences = entries.map { $0.likeness.differences(from: likeness, in: call.words) }
        guard let nearest = entries.indices.min(by: { differences[$0].weight < differences[$1].weight }) else {
            return "\(name) has no response to \(call): it is empty."
        }
        return "\(name) has no response to \(call). The nearest is entry \(nearest + 1), \(entries[nearest].call.request), "
            + "but \(differences[nearest].text)."
    }

    /// The calls that the recording lacks, and the responses that were not used.
    var problems: [String] {
        strays
            + entries.enumerated().filter { !$0.element.isUsed }.map { "\(name): entry \($0 + 1), \($1.call.request), was not called." }
    }

    /// The calls that are not in the file yet, in the order in which they began.
    var news: [RecordedCall] {
        entries.filter { $0.archived == nil }.map(\.call).sorted { $0.started < $1.started }
    }

    /// The entries that remain in the file.
    var archived: [JSON] { entries.compactMap(\.archived) }
}

extension APIError.Kind {
    /// The kind of an error if a recording has no response to the call.
    public static let unrecorded = Self("unrecorded")
}
