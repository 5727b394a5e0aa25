extension HttpConversationManager.Configuration {
    /// Adds a filter in every role that its type conforms to: ``RequestFilter``, ``RedirectFilter``,
    /// ``ChallengeFilter``, ``ResponseFilter``.
    ///
    /// ```swift
    /// configuration.add(APIKey("k-1"))                    // at the end
    /// configuration.add(APIKey("k-2"))                    // both stay
    /// configuration.add(APIKey("k-3"), id: "APIKey")
    /// configuration.add(APIKey("k-4"), id: "APIKey")      // in the place of k-3
    /// ```
    /// A filter without any role is a configuration problem (``problems``).
    ///
    /// - Parameters:
    ///   - filter: a filter with one or more roles
    ///   - id: the filter's id, for replacing or removing it; configurators give one, so that configuring twice has no
    ///     further effect
    ///   - owner: the configurator that adds it; another one's filter with the same id stays
    public mutating func add(_ filter: some ConversationFilter, id: String? = nil, of owner: ConfiguratorID? = nil) {
        addRoles(of: filter, id: id ?? freeID(for: filter), of: owner)
    }

    private mutating func addRoles(of filter: any ConversationFilter, id: String, of owner: ConfiguratorID?) {
        Self.place(filter as? any RequestFilter, in: &requestFilters, id, owner)
        Self.place(filter as? any RedirectFilter, in: &redirectFilters, id, owner)
        Self.place(filter as? any ChallengeFilter, in: &challengeFilters, id, owner)
        Self.place(filter as? any ResponseFilter, in: &responseFilters, id, owner)
        if !ids.contains(id) {
            report(
                ConversationError(
                    .invalidConfiguration,
                    "The filter \(TerminalText.sanitise(id)) has no role: let it conform to RequestFilter, RedirectFilter, ChallengeFilter or ResponseFilter."
                ))
        }
    }

    /// Adds an observer.
    public mutating func add(_ observer: some ConversationObserver, id: String? = nil, of owner: ConfiguratorID? = nil)
    {
        observers.add(observer, id: id ?? freeID(for: observer), of: owner)
    }

    /// Adds a filter that is also an observer.
    public mutating func add(
        _ filter: some ConversationFilter & ConversationObserver, id: String? = nil, of owner: ConfiguratorID? = nil
    ) {
        let id = id ?? freeID(for: filter)
        observers.add(filter, id: id, of: owner)
        addRoles(of: filter, id: id, of: owner)
    }

    /// Removes the filters and observers with this id, in all their roles and of any configurator.
    ///
    /// - Returns: whether there were any
    @discardableResult
    public mutating func remove(id: String) -> Bool {
        let removed = [
            requestFilters.remove(id: id), redirectFilters.remove(id: id), challengeFilters.remove(id: id),
            responseFilters.remove(id: id), observers.remove(id: id),
        ]
        return removed.contains(true)
    }

    /// Removes a filter in all its roles, by the value that was added: an object by its identity, a value by `==`.
    /// Removes all equal ones.
    ///
    /// ```swift
    /// let key = APIKey("k-1")                             // Equatable, or a class
    /// configuration.add(key)
    /// configuration.remove(key)
    /// ```
    /// A value that is not `Equatable` is removed by its id; here it is a configuration problem (``problems``).
    ///
    /// - Returns: whether there were any
    @discardableResult
    public mutating func remove(_ filter: some ConversationFilter) -> Bool { remove(added: filter) }

    /// Removes an observer, by the value that was added.
    ///
    /// - Returns: whether there were any
    @discardableResult
    public mutating func remove(_ observer: some ConversationObserver) -> Bool { remove(added: observer) }

    /// Removes a filter that is also an observer, by the value that was added.
    ///
    /// - Returns: whether there were any
    @discardableResult
    public mutating func remove(_ filter: some ConversationFilter & ConversationObserver) -> Bool {
        remove(added: filter)
    }

    private mutating func remove(added value: Any) -> Bool {
        guard let added = AddedValue(value) else {
            report(
                ConversationError(
                    .invalidConfiguration,
                    "A filter of the type \(type(of: value)) cannot be removed by its value: make it a class, or Equatable, or add and remove it with an id."
                ))
            return false
        }
        let removed = [
            requestFilters.remove(added), redirectFilters.remove(added), challengeFilters.remove(added),
            responseFilters.remove(added), observers.remove(added),
        ]
        return removed.contains(true)
    }

    /// The ids of all filters and observers, each once: by role, and in order of addition.
    public var ids: [String] {
        var seen: Set<String> = []
        let all =
            requestFilters.ids + redirectFilters.ids + challengeFilters.ids + responseFilters.ids + observers.ids
        return all.filter { seen.insert($0).inserted }
    }

    /// The filters of a type, each once, even with several roles: by role, and in order of addition.
    public func filters<Kind>(of type: Kind.Type) -> [Kind] {
        var seen: Set<FilterKey> = []
        var found: [Kind] = []
        func look<Element>(_ list: FilterList<Element>) {
            for entry in list.entries {
                guard let filter = entry.element as? Kind else { continue }
                if seen.insert(FilterKey(id: entry.id, owner: entry.owner)).inserted { found.append(filter) }
            }
        }
        look(requestFilters)
        look(redirectFilters)
        look(challengeFilters)
        look(responseFilters)
        return found
    }

    /// Replaces the filter with the same id; removes it if the new one lacks this role.
    private static func place<Element>(
        _ filter: Element?, in list: inout FilterList<Element>, _ id: String, _ owner: ConfiguratorID?
    ) {
        if let filter { list.add(filter, id: id, of: owner) } else { list.remove(id: id, of: owner) }
    }

    /// An id that is free in all roles.
    private func freeID(for element: Any) -> String { FilterID.free(for: element, among: ids) }
}

/// The identity of a filter in all its roles.
private struct FilterKey: Hashable {
    let id: String
    let owner: ConfiguratorID?
}
