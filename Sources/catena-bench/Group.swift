/// A set of measurements that are run together.
struct Group: Sendable {
    let name: String
    let title: String
    let run: @Sendable (Effort) async throws -> Void

    static let all = [
        Group(name: "promise", title: "promises beside closures and tasks", run: promiseGroup),
        Group(name: "prepare", title: "from a description to a request that can be sent", run: prepareGroup),
        Group(name: "bodies", title: "from values to what is sent", run: bodiesGroup),
        Group(name: "json", title: "dynamic values beside JSONSerialization", run: jsonGroup),
        Group(name: "envelope", title: "typed decoding through the envelope", run: envelopeGroup),
        Group(name: "decoding", title: "typed values from JSON beside JSONDecoder", run: decodingGroup),
        Group(name: "encoding", title: "JSON from typed values beside JSONEncoder", run: encodingGroup),
        Group(name: "pipeline", title: "what the stages add to a call", run: pipelineGroup),
        Group(name: "loopback", title: "whole calls on loopback", run: loopbackGroup),
        Group(name: "transport", title: "the platform's transport under load", run: transportGroup),
        Group(name: "beside", title: "small calls beside a large download", run: besideGroup),
        Group(name: "streams", title: "downloads to disk, and responses read piece by piece", run: streamsGroup),
        Group(name: "uploads", title: "a large form from a file on loopback", run: uploadGroup),
        Group(name: "chaos", title: "everything switched on, against a server that does wrong", run: chaosGroup),
        Group(name: "soak", title: "many calls, cancelled at random", run: soakGroup),
    ]
}

/// The amount of work in a run.
struct Effort: Sendable {
    let isSmoke: Bool

    /// The number of rounds, in each of which every alternative runs once. The medians of the rounds are printed.
    var rounds: Int { isSmoke ? 1 : 7 }

    func iterations(_ full: Int) -> Int { isSmoke ? max(1, full / 100) : full }
}
