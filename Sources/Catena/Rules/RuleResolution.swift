/// The rule of a request, as the steps said it or as it was found.
indirect enum RuleReference: Sendable {
    case named(String)
    case rule(Rule)
    /// Found, and merged into the request.
    case resolved(Rule)

    var name: String {
        switch self {
        case .named(let name): name
        case .rule(let rule), .resolved(let rule): rule.name
        }
    }

    /// The rule, once it has been found.
    var resolved: Rule? {
        if case .resolved(let rule) = self { rule } else { nil }
    }
}

/// What a client knows about rules.
struct RuleSettings: Sendable {
    var set = RuleSet()
    /// The origins to which rules of the app's own have led.
    var origins: Set<String> = []
    var registry = RuleRegistry()
    var authorizationHeaders = HTTPHeaders()
    var authorizationParams = Params()

    /// The names under which authorization is sent.
    var secrets: Secrets { Secrets(headers: authorizationHeaders.fields.map(\.name), params: authorizationParams.keys) }
}

/// Boxed: settings are copied on the way of every call, and most calls have no rule.
private enum RuleSettingsKey: OptionKey { static let initial = Box(RuleSettings()) }

extension Settings {
    var rules: RuleSettings {
        get { values[RuleSettingsKey.self].value }
        set {
            values[RuleSettingsKey.self] = Box(newValue)
            secrets = newValue.secrets
        }
    }
}

extension RuleReference: RequestCompletion {
    func completing(_ request: Request, _ settings: Settings, _ profile: ResolvedProfile) -> Request {
        request.merged(with: settings.rules, profile)
    }
}

extension Request {
    /// What describes the call beneath what its steps say.
    var rule: RuleReference? {
        get { completion as? RuleReference }
        set {
            completion = newValue
            name = newValue?.name
        }
    }

    /// The request with what its rule says beneath what the call itself says.
    ///
    /// Params and headers: the rule's, then those of an authorized call, then the call's own, its query too; later ones win.
    func merged(with settings: RuleSettings, _ profile: ResolvedProfile) -> Request {
        var request = self
        let rule: Rule
        switch self.rule {
        case nil, .resolved: return self
        case .rule(let own): rule = own.over(settings.set.standard)
        case .named(let name):
            guard let found = settings.set[name] else {
                request.fault = fault ?? Self.unknown(name, settings.set)
                return request
            }
            rule = found
        }
        request.rule = .resolved(rule)
        request.headerChanges.own = headerChanges.set
        request.location.reference = PathReference(prefix: rule.pathPrefix ?? "", source: "the rule \"\(rule.name)\"")
        request.options.takesPropertyLists = rule.takesPropertyLists
        request.locate(by: rule, profile.settings.parameterStyle)
        request.chosenMethod = chosenMethod ?? rule.method
        let isAuthorized = options.isAuthenticated ?? rule.isAuthorized ?? false
        let addsAuthorization = isAuthorized && request.staysHome(rule, profile)
        var params = rule.params ?? Params()
        if addsAuthorization { params.merge(settings.authorizationParams) }
        params.removeAll(removedParams)
        // What fills the path is sent there alone, and so stands in the way of no query.
        let template = request.location.absolute ?? request.location.path ?? ""
        params.removeAll(query.keys.filter { !template.contains("{\($0)}") })
        request.params = params.merging(self.params)
        var headers = rule.headers ?? HTTPHeaders()
        if addsAuthorization { headers.merge(settings.authorizationHeaders) }
        headers.merge(headerChanges.set)
        request.headerChanges.set = headers
        request.apply(rule, settings.registry)
        request.takeSpecialParams()
        return request
    }

    private static func unknown(_ name: String, _ set: RuleSet) -> APIError {
        let known = set.names.isEmpty ? "no rules are loaded" : "known are " + set.names.joined(separator: ", ")
        return .invalid("request(named:)", "there is no rule \"\(name)\"; \(known)")
    }

    /// Where the rule leads; host, path and address of the call itself win.
    private mutating func locate(by rule: Rule, _ style: ParameterStyle) {
        guard location.absolute == nil else { return }
        if location.hostKey == nil, location.host == nil {
            location.host = rule.base
            location.isHostOfRule = true
        }
        guard location.path == nil else { return }
        // Only the rule itself can name another scheme: what fills its path cannot (it is encoded).
        if let path = rule.path, HTTPAddress.schemeName(of: path.text.unicodeScalars[...]) != nil {
            do throws(PathTemplate.Fault) {
                location.absolute = try path.text(in: style)
            } catch {
                fault = fault ?? APIError.invalid("path", "\(error.name): \(error.reason)")
            }
        } else {
            if let path = rule.path { location.set(pathOfRule: path) }
        }
    }

    /// Whether the call goes to the origin that is known for it: authorization is not for others.
    private func staysHome(_ rule: Rule, _ profile: ResolvedProfile) -> Bool {
        guard let place = location.absolute ?? (location.isHostOfRule ? nil : location.host) else { return true }
        let isAddress = location.absolute != nil
        let home = Profile.parse(isAddress ? location.host ?? rule.base : rule.base) ?? profile.address
        // What a host provider will say is not known yet.
        guard let home else { return !profile.hasHostProvider && location.hostKey == nil }
        guard let address = try? HTTPAddress(parsing: place) else { return false }
        return (try? home.get())?.origin == address.origin
    }

    private mutating func apply(_ rule: Rule, _ registry: RuleRegistry) {
        if options.isAuthenticated == nil { options.isAuthenticated = rule.isAuthorized }
        // Methods that put params in the query do so with every serializer.
        if options.encoding == nil, chosenMethod?.putsParamsInQuery != true {
            options.encoding = rule.serializer.flatMap { registry.serializers[$0] }
        }
        if options.cachePolicy == nil { options.cachePolicy = rule.usedCachePolicy }
    }

    /// Takes the two params that stand for something else: an array that is the whole body, and what goes to the query with every
    /// method.
    private mutating func takeSpecialParams() {
        if case .array(let elements) = params["_RFParmArray_"]?.parameterNode {
            params.remove("_RFParmArray_")
            if body == nil { self = json(JSON(["body": ParameterNode.array(elements)]).body) }
        }
        // RFAPI's constant has the first spelling, its documentation the second.
        for key in ["_RFParmForceQuryString_", "_RFParmForceQueryString_"] {
            guard case .object(let forced) = params[key]?.parameterNode else { continue }
            params.remove(key)
            query = forced.merging(query)
        }
    }
}

extension Rule {
    /// What the numbers mean together; `nil` leaves it to the call's tag.
    var usedCachePolicy: Catena.CachePolicy? {
        let policy: Catena.CachePolicy? =
            switch cachePolicy ?? .standard {
            case .standard: nil
            case .protocol: .protocol
            case .always: .always
            case .expire: .expire(max(expire ?? .zero, .seconds(1)))
            case .never: .never
            }
        return offlinePolicy == .cached ? (policy ?? .protocol).orOffline : policy
    }
}
