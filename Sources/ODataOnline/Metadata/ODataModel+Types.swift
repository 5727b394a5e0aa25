extension ODataModel {
    /// A reference to a type by its name, single or as a collection.
    public struct TypeReference: Hashable, Sendable, CustomStringConvertible {
        /// The qualified name, such as `Edm.String` or `Sales.Address`.
        public let name: String
        /// Whether it is a collection of the type.
        public let isCollection: Bool

        /// Reads `Collection(Edm.String)` or `Edm.String`.
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
        /// The qualified name.
        public let name: String
        /// Whether it is an entity type.
        public let isEntity: Bool
        /// The qualified name of the base type.
        public internal(set) var baseType: String?
        /// Whether the type is abstract: all its values are of derived types.
        public let isAbstract: Bool
        /// Whether entities may have undeclared properties.
        public let isOpen: Bool
        /// Whether entities have a stream (media entities).
        public let hasStream: Bool
        /// The properties of the key; empty if the base type has the key.
        public internal(set) var key: [String] = []
        /// The properties that the type adds to its base type.
        public internal(set) var properties: [Property] = []
        /// The navigation properties that the type adds to its base type.
        public internal(set) var navigationProperties: [NavigationProperty] = []
    }

    /// A property.
    public struct Property: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The type of its values.
        public internal(set) var type: TypeReference
        /// Whether the value may be null.
        public let isNullable: Bool
        /// The maximum number of characters or bytes.
        public let maximumLength: Int?
        /// The digits of a decimal number.
        public let precision: Int?
        /// The digits behind the decimal point.
        public let scale: Int?
        /// A label for people (`sap:label`); nil if the service has none.
        public let label: String?
        /// Whether the service compares the property to detect changes by others (2.0).
        public let isConcurrencyToken: Bool
    }

    /// A property that leads to other entities.
    public struct NavigationProperty: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The target type; its name is empty if the document does not say.
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
        /// The qualified name.
        public let name: String
        /// Whether several members may be set.
        public let isFlags: Bool
        /// The members in their order.
        public internal(set) var members: [Member] = []

        /// A member.
        public struct Member: Hashable, Sendable {
            /// Its name.
            public let name: String
            /// The number, if the document has it.
            public let value: Int64?
        }
    }

    /// An entity set or singleton.
    public struct EntitySet: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The qualified name of the type of its entities.
        public internal(set) var type: String
        /// Whether it is a singleton (4.0).
        public let isSingleton: Bool
    }

    /// A function or an action (4.0).
    public struct Operation: Hashable, Sendable {
        /// The qualified name.
        public let name: String
        /// Whether it is an action, which may change data.
        public let isAction: Bool
        /// Whether it is bound: the first parameter is the value that it is called on.
        public let isBound: Bool
        /// Its parameters.
        public internal(set) var parameters: [Parameter] = []
        /// The type of the result.
        public internal(set) var returnType: TypeReference?
    }

    /// A function or action that is called at the root of the service.
    public struct OperationImport: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The qualified name of the function or action (4.0).
        public internal(set) var operation: String?
        /// Whether it may change data.
        public let isAction: Bool
        /// The HTTP method of the call (2.0).
        public let method: String?
        /// Its parameters (2.0).
        public internal(set) var parameters: [Parameter] = []
        /// The type of the result (2.0).
        public internal(set) var returnType: TypeReference?
    }

    /// A parameter.
    public struct Parameter: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The type of its values.
        public internal(set) var type: TypeReference
        /// Whether the parameter may be left out or null.
        public let isNullable: Bool
    }
}
