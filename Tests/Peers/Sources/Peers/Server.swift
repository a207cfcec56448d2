/// The addresses of the servers and their authority.
struct Server: Sendable {
    let addresses: [Scenario.Wire: String]
    /// A file with the authority of the servers over TLS.
    let authority: String?

    func url(of scenario: Scenario) throws -> String { try origin(of: scenario) + path(of: scenario) }

    func origin(of scenario: Scenario) throws -> String {
        guard let address = addresses[scenario.wire] else { throw Problem("There is no server for \(scenario.wire.rawValue).") }
        return address
    }

    func path(of scenario: Scenario) -> String { "/" + scenario.size.rawValue }
}

extension Server {
    init(_ options: Options) {
        let addresses = Scenario.Wire.allCases.compactMap { wire in options.text(wire.rawValue).map { (wire, $0) } }
        self.init(addresses: Dictionary(uniqueKeysWithValues: addresses), authority: options.text("authority"))
    }
}
