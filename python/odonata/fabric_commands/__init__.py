"""Commands of the Slingshot fabric manager, for the service of `odonata fabric serve`.

Names and texts are those of public guides (HewlettPackard/shs-docs). They are clients of the REST
interface, and import nothing of the simulator.
"""
