// Where a request goes that a rule describes: its path is a reference, resolved as in a link, and not appended.
extension RequestAssembly {
    mutating func target(of rule: Rule) throws -> HTTPAddress {
        let location = execution.request.location
        if let absolute = location.absolute {
            return try RequestAssembly.address(try fillTemplate(absolute, leavesOutMissing: true), step: "the rule \"\(rule.name)\"")
        }
        guard let path = location.path else {
            throw APIError.invalid("path", "the rule \"\(rule.name)\" has no \"Path\"")
        }
        let reference = (rule.pathPrefix ?? "") + (try fillTemplate(path, leavesOutMissing: true))
        if leadsElsewhere(reference) {
            throw APIError.invalid("path", "the rule \"\(rule.name)\" would lead to another host by \"\(path)\"; use a whole address")
        }
        var address = try host()
        if !reference.isEmpty {
            do throws(HTTPAddress.Fault) {
                address = try address.resolving(reference)
            } catch {
                throw APIError.invalid("path", "the rule \"\(rule.name)\": \(error.reason)")
            }
        }
        for (index, segment) in location.segments.enumerated() {
            try append(segment, number: index + 1, to: &address)
        }
        return address
    }

    private func append(_ segment: ParameterNode, number: Int, to address: inout HTTPAddress) throws {
        do throws(PathTemplate.Fault) {
            let text = try PathTemplate.segment(segment, name: "segment \(number)", style: style)
            if address.path.utf8.last == UInt8(ascii: "/") { address.path.removeLast() }
            address.path += "/" + text
        } catch {
            throw APIError.invalid("segments", "\(error.name): \(error.reason)")
        }
    }
}
