extension ODataModel {
    /// A type by its name: whether it is one value or many.
    public struct TypeReference: Hashable, Sendable, CustomStringConvertible {
        /// Qualified, such as `Edm.String` or `Sales.Address`.
        public let name: String
        /// Whether it is many of them.
        public let isCollection: Bool

        /// `Collection(Edm.String)`, or without.
        init(_ text: String) {
            isCollection = text.hasPrefix("Collection(") && text.hasSuffix(")")
            name = isCollection ? String(text.dropFirst(11).dropLast()) : text
        }

        init(name: String, isCollection: Bool) {
            self.name = name
            self.isCollection = isCollection
        }

        public var description: String { isCollection ? "Collection(\(name))" : name }
    }

    /// An entity type or complex type.
    public struct StructuredType: Hashable, Sendable {
        /// With its namespace.
        public let name: String
        /// Whether it is the type of entities.
        public let isEntity: Bool
        /// The type that it derives from.
        public internal(set) var baseType: String?
        /// Whether there is nothing that is only this.
        public let isAbstract: Bool
        /// Whether entities may have other properties, too.
        public let isOpen: Bool
        /// Whether entities have a stream (media entities).
        public let hasStream: Bool
        /// The properties of the key; empty where it is that of the base type.
        public internal(set) var key: [String] = []
        /// Those that the base type does not have.
        public internal(set) var properties: [Property] = []
        /// Those that the base type does not have.
        public internal(set) var navigationProperties: [NavigationProperty] = []
    }

    /// A property.
    public struct Property: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// What its values are.
        public internal(set) var type: TypeReference
        /// Whether it may have no value.
        public let isNullable: Bool
        /// The characters or bytes that it may have.
        public let maximumLength: Int?
        /// The digits of a decimal number.
        public let precision: Int?
        /// The digits behind the decimal point.
        public let scale: Int?
        /// A label for people, where the service has one (`sap:label`).
        public let label: String?
        /// Whether the service compares it to find that somebody else has changed the entity (2.0).
        public let isConcurrencyToken: Bool
    }

    /// A property that leads to other entities.
    public struct NavigationProperty: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// What it leads to. Empty where the document does not say.
        public internal(set) var type: TypeReference
        /// The navigation property that leads back (4.0).
        public let partner: String?
        /// Whether the entities belong to this one (4.0).
        public let containsTarget: Bool
        /// The association and the role that it leads to (2.0).
        var association: Association?

        struct Association: Hashable, Sendable {
            var name: String
            let role: String
        }
    }

    /// An enumeration type.
    public struct EnumerationType: Hashable, Sendable {
        /// With its namespace.
        public let name: String
        /// Whether several members may be set.
        public let isFlags: Bool
        /// The members in their order.
        public internal(set) var members: [Member] = []

        /// One of them.
        public struct Member: Hashable, Sendable {
            /// Its name.
            public let name: String
            /// Its number, where the document has it.
            public let value: Int64?
        }
    }

    /// An entity set or singleton.
    public struct EntitySet: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The qualified name of the type of its entities.
        public internal(set) var type: String
        /// Whether it is a single entity (4.0).
        public let isSingleton: Bool
    }

    /// A function or an action (4.0).
    public struct Operation: Hashable, Sendable {
        /// With its namespace.
        public let name: String
        /// Whether it may change something.
        public let isAction: Bool
        /// Whether its first parameter is what it is called on.
        public let isBound: Bool
        /// Its parameters.
        public internal(set) var parameters: [Parameter] = []
        /// What it answers with.
        public internal(set) var returnType: TypeReference?
    }

    /// A function or action that is called at the root of the service.
    public struct OperationImport: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The qualified name of the function or action (4.0).
        public internal(set) var operation: String?
        /// Whether it may change something.
        public let isAction: Bool
        /// The method that it is called with (2.0).
        public let method: String?
        /// Its parameters (2.0).
        public internal(set) var parameters: [Parameter] = []
        /// What it answers with (2.0).
        public internal(set) var returnType: TypeReference?
    }

    /// A parameter.
    public struct Parameter: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// What its values are.
        public internal(set) var type: TypeReference
        /// Whether it may be left out or have no value.
        public let isNullable: Bool
    }
}
