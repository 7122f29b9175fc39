// Example messages that are long enough to fill a small window.

export const EXAMPLES: readonly string[] = [
  "We are planning the move of our office from Lindenstrasse 14 to Harbour Road 220. The lease of the old place " +
    "ends on 31 March and the new one begins on 1 March, so there is one month in which we pay for both. The budget " +
    "for the whole move is 48,500 euros, of which 12,000 are for the movers, 9,400 for new desks and 6,100 for the " +
    "network. Marta Oliveira leads it, and everything above 2,000 euros has to be signed by her. Please remember " +
    "all of this; I will come back to it. The landlord of the old place, Ms. Keller of Keller & Co., wants the rooms " +
    "white and empty, and keeps the deposit of 9,000 euros until she has seen them. The new landlord gives us the " +
    "keys on 27 February, the card for the garage a week later, and the code of the alarm only in person. We have " +
    "moved twice before, in 2014 and in 2019, and both times the network was late and nobody could work for two " +
    "days; that must not happen again. What would you do first?",
  "About the network: the new building has fibre, contract number HF-77-2231, one gigabit, and the technician comes " +
    "on 4 March between 8 and 12. We take three of the old access points with us and buy five more of the same kind, " +
    "at 189 euros each. The server cabinet stands in room B-104 and needs its own fuse; the electrician, Mr. Tanaka, " +
    "has to be told by 15 February. The telephone numbers stay the same. The backup runs every night at 2:30 and " +
    "must not be cut off in the middle; the last one before the move has to be tested on another machine. Printers: " +
    "the large one in the corridor is leased, number LX-5530, and only the company it belongs to may carry it, for " +
    "310 euros; the two small ones we take ourselves. Until the fibre works there is a router with a SIM card, 200 " +
    "gigabytes, which is enough for three days. Who has to be told what, and by when?",
  "About the people: 37 people move, of whom 6 work from home on Fridays and 2 are on leave until May. The design " +
    "team wants to sit together near the windows on the north side; the support team needs a room with a door " +
    "because of the calls, and B-112 is the only one that is large enough. Yusuf needs a desk that can be raised, " +
    "number 3 on the list of the supplier, and Anna must not be near the kitchen because of the noise. Four people " +
    "come by bicycle and ask for a place to lock them; the house has twelve, in the yard, behind a door that closes " +
    "at 20:00. The two apprentices, Jonas and Mei, sit with whoever teaches them, which changes every six weeks. The " +
    "kitchen holds 15, so lunch is in three shifts. There are six meeting rooms; the largest, B-120, is booked for " +
    "the board on the first Monday of each month. Make a plan.",
  "About the day itself: the movers, Berg & Sons, come on Saturday 8 March at 7 with two lorries. Everybody packs " +
    "their own boxes until Thursday, four boxes each, labelled with name and room. The plants go in Marta's van. " +
    "The old keys, 41 of them, are handed over on 28 March at 10; two are missing and cost 85 euros each. If it " +
    "rains, the archive waits until Sunday. Parking in front of the old house has to be asked for at the city, form " +
    "P-17, two weeks before, 96 euros. The lift of the new house carries 630 kilograms and must not be blocked " +
    "between 9 and 10, because of the doctor on the second floor. Ravi stands at the old door and Sofia at the new " +
    "one, each with a list; whoever finds a box without a label puts it in B-101. Food for twenty at noon, four of " +
    "them vegetarian. Sum up what can go wrong on that day.",
  "About the money so far: the movers asked for 12,900 instead of 12,000, because of the archive. The desks came " +
    "to 8,750. The access points are ordered for 945 in all. The electrician wants 1,350, which Marta has not signed " +
    "yet and does not need to. Cleaning the old rooms is 780, painting them 2,400, and the deposit of 9,000 comes " +
    "back in April if the walls are white. The insurance asks for a list of everything above 1,500 euros; that is the " +
    "server, the large screen in B-120 and the two machines of the workshop, 31,200 in all, and costs 264 for the " +
    "day. The sign at the door is 1,980, just below what needs a signature, and Marta wants to see it all the same. " +
    "Whatever is left goes into plants and a better coffee machine, in this order. How much of the budget is left?",
];
