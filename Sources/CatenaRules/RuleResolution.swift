import Catena

/// The rule of a request, before or after it was found.
indirect enum RuleReference: Sendable {
    case named(String)
    case rule(Rule)
    /// A rule that was found and merged into the request.
    case resolved(Rule)

    var name: String {
        switch self {
        case .named(let name): name
        case .rule(let rule), .resolved(let rule): rule.name
        }
    }

    /// The rule, or `nil` if it has not been found yet.
    var resolved: Rule? {
        if case .resolved(let rule) = self { rule } else { nil }
    }
}

/// The settings of a client for rules.
struct RuleSettings: Sendable {
    var set = RuleSet()
    /// The origins that the app's own rules have named.
    var origins: Set<String> = []
    var registry = RuleRegistry()
    var authorizationHeaders = HTTPHeaders()
    var authorizationParams = Params()

    /// The names under which authorization is sent, which are secret.
    var secrets: Secrets { Secrets(headers: authorizationHeaders.fields.map(\.name), params: authorizationParams.keys) }
}

/// Boxed because every call copies the settings, and most calls have no rule.
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
    /// The rule, whose values apply where the steps of the call set none.
    var rule: RuleReference? {
        get { completion as? RuleReference }
        set {
            completion = newValue
            name = newValue?.name
        }
    }

    /// Returns the request with the values of its rule where the call itself sets none.
    ///
    /// Params and headers come from the rule, then from the authorization, then from the call. Later ones win, and so does the call's query.
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
        request.locate(by: rule, profile.configuration.value.parameterStyle)
        request.chosenMethod = chosenMethod ?? rule.method
        let isAuthorized = options[\.isAuthenticated] ?? rule.isAuthorized ?? false
        let addsAuthorization = isAuthorized && request.staysHome(rule, profile)
        var params = rule.params ?? Params()
        if addsAuthorization { params.merge(settings.authorizationParams) }
        params.removeAll(removedParams)
        // The call's query does not replace a param that fills the path, because that param is sent only in the path.
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

    /// Sets the address from the rule, unless the call sets its own host, path or address.
    private mutating func locate(by rule: Rule, _ style: ParameterStyle) {
        guard location.absolute == nil else { return }
        if location.hostKey == nil, location.host == nil {
            location.host = rule.base
            location.isHostOfRule = true
        }
        guard location.path == nil else { return }
        // Only the rule's own text can name another scheme, because values that fill its path are encoded.
        if let path = rule.path, HTTPAddress.schemeName(of: path.text.unicodeScalars[...]) != nil {
            do throws(PathTemplate.Fault) {
                location.absolute = try path.text(in: style)
            } catch {
                fault = fault ?? APIError.invalid("path", "\(error.name): \(error.reason)")
            }
        } else {
            if let path = rule.path { location.set(path) }
        }
    }

    /// Returns whether the call goes to its usual origin, because no other origin may receive authorization.
    private func staysHome(_ rule: Rule, _ profile: ResolvedProfile) -> Bool {
        guard let place = location.absolute ?? (location.isHostOfRule ? nil : location.host) else { return true }
        let isAddress = location.absolute != nil
        let home = Profile.parse(isAddress ? location.host ?? rule.base : rule.base) ?? profile.address
        // The origin that a host provider will return is not known yet.
        guard let home else { return !profile.hasHostProvider && location.hostKey == nil }
        guard let address = try? HTTPAddress(parsing: place) else { return false }
        return (try? home.get())?.origin == address.origin
    }

    private mutating func apply(_ rule: Rule, _ registry: RuleRegistry) {
        var layer = OptionLayer()
        layer[\.isAuthenticated] = rule.isAuthorized
        layer[\.takesPropertyLists] = rule.takesPropertyLists
        layer[\.cachePolicy] = rule.usedCachePolicy
        // Methods that put params in the query do so with any serializer.
        if chosenMethod?.putsParamsInQuery != true { layer[\.encoding] = rule.serializer.flatMap { registry.serializers[$0] } }
        options = options.over(layer)
    }

    /// Removes the two params with special meanings: an array that is the whole body, and an object that always goes to the query.
    private mutating func takeSpecialParams() {
        if case .array(let elements) = params["_RFParmArray_"]?.parameterNode {
            params.remove("_RFParmArray_")
            if body == nil { self = json(JSON(["body": ParameterNode.array(elements)]).body) }
        }
        // RFAPI spells the name in the first way in its constant, and in the second way in its documentation.
        for key in ["_RFParmForceQuryString_", "_RFParmForceQueryString_"] {
            guard case .object(let forced) = params[key]?.parameterNode else { continue }
            params.remove(key)
            query = forced.merging(query)
        }
    }
}

extension Rule {
    /// The cache policy that the rule's numbers stand for together, or `nil` to use that of the tag.
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
