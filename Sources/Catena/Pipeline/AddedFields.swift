/// What a stage of Catena's own, such as the one of the credential, has changed in a request: told from what others have put in.
struct AddedFields: Sendable {
    let before: HTTPRequest
    let after: HTTPRequest

    var isEmpty: Bool { before.headers == after.headers && before.address.query == after.address.query }

    func changes(_ name: String) -> Bool { before.headers.values(for: name) != after.headers.values(for: name) }

    /// Adds the same to another request.
    func add(to request: inout HTTPRequest) {
        request.headers.change(as: after.headers, was: before.headers)
        guard after.address.query != before.address.query else { return }
        let (former, present) = (Self.pairs(of: before), Self.pairs(of: after))
        let kept = Self.pairs(of: request).filter { present.contains($0) || !former.contains($0) }
        Self.set(kept + present.filter { !former.contains($0) }, of: &request)
    }

    /// Takes it out of a request that may have been changed since.
    func remove(from request: inout HTTPRequest) {
        for name in Set(after.headers.fields.map(\.name)) where changes(name) {
            let values = after.headers.values(for: name)
            if request.headers.values(for: name) == values { request.headers.replace(name, with: before.headers.values(for: name)) }
        }
        guard after.address.query != before.address.query else { return }
        let added = Set(Self.pairs(of: after)).subtracting(Self.pairs(of: before))
        Self.set(Self.pairs(of: request).filter { !added.contains($0) }, of: &request)
    }

    private static func pairs(of request: HTTPRequest) -> [Substring] { (request.address.query ?? "").split(separator: "&") }

    private static func set(_ pairs: [Substring], of request: inout HTTPRequest) {
        request.address.query = pairs.isEmpty ? nil : pairs.joined(separator: "&")
    }
}
