import Synchronization

/// The state of the OData services, which all origins and both versions share.
final class ODataServer: Sendable {
    let counters = CounterSet(ODataCounters())
    let tokens = CSRFTokenStore()
    private let data = Mutex(ODataData())
    private let currentRule: Mutex<ODataRule>

    init(_ configuration: LandscapeConfiguration) { currentRule = Mutex(configuration.odataRule) }

    var rule: ODataRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    /// Answers a request. Reads run on a copy, and changes run one after the other.
    func answer(_ call: ODataCall, by service: ODataService) -> ODataAnswer {
        guard call.method != "GET", call.method != "HEAD" else {
            var copy = data.withLock { $0 }
            return service.answer(call, &copy)
        }
        return data.withLock { service.answer(call, &$0) }
    }

    /// Counts a page. Returns whether the sessions end with it.
    func countPage() -> Bool {
        counters.count(\.pages)
        return currentRule.withLock { rule in
            guard let left = rule.expiresAfterPages else { return false }
            rule.expiresAfterPages = left > 1 ? left - 1 : nil
            return left <= 1
        }
    }

    func reset() {
        data.withLock { $0 = ODataData() }
        tokens.reset()
        counters.reset()
    }

    /// An entity's property, for tests.
    func property(_ name: String, of set: String, key: ODataValue) -> ODataValue? {
        data.withLock { data in
            guard let model = ODataModel.set(set), let index = data.index(of: [model.keys[0]: key], in: model) else {
                return nil
            }
            return data.entities(set)[index].properties[name]
        }
    }
}
